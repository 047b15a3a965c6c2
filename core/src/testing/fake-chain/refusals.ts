/** Why a transaction has no effect. */
export const REFUSALS = {
  alreadyFilled: 'AlreadyFilled',
  deadlinePassed: 'DeadlinePassed',
  keyUsed: 'KeyUsed',
  expired: 'Expired',
  notAllowed: 'NotAllowed',
  short: 'BalanceTooLow',
  depositoryShort: 'DepositoryTooLow',
  addressShort: 'AddressTooLow',
  recipientRefuses: 'RecipientRefuses',
  callFailed: 'CallFailed',
  broughtShort: 'BroughtShort',
  noAccount: 'AccountNotFound',
  wrongOwner: 'AccountOfAnother',
  outOfWork: 'OutOfWork',
  rentShort: 'RentTooLow',
} as const;
