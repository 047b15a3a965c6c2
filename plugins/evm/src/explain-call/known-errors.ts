import type { CallReason } from './call-reasons.js';

export interface KnownErrorRow {
  readonly error: string;
  readonly reason?: CallReason;
  /** It reports the failure of a call that its contract made. */
  readonly passesOn?: true;
  /** Argument with the data which that call reverted with. */
  readonly inner?: string;
  /** Argument with the address that was called. */
  readonly at?: string;
  /** Argument with a text that says more. */
  readonly text?: string;
}

function rows(reason: CallReason | undefined, ...errors: readonly string[]): readonly KnownErrorRow[] {
  return errors.map((error) => (reason === undefined ? { error } : { error, reason }));
}

/** Token standards: ERC-6093 and OpenZeppelin 5, Solady, ERC721A. */
const TOKENS: readonly KnownErrorRow[] = [
  ...rows(
    'TRANSFER_AMOUNT_EXCEEDS_BALANCE',
    'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    'error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
    'error InsufficientBalance()',
  ),
  ...rows(
    'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE',
    'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
    'error InsufficientAllowance()',
  ),
  ...rows('BLOCKED_WALLET', 'error Blocked(address account)', 'error ERC20Blocked(address account)'),
  ...rows(
    'SIGNATURE_EXPIRED',
    'error ERC2612ExpiredSignature(uint256 deadline)',
    'error PermitExpired()',
    'error SignatureExpired()',
  ),
  ...rows('INVALID_SIGNER', 'error ERC2612InvalidSigner(address signer, address owner)'),
  ...rows('INVALID_SIGNATURE', 'error InvalidPermit()'),
  ...rows('TOKEN_NOT_TRANSFERABLE', 'error TokenNotTransferable()', 'error NonTransferable()', 'error Soulbound()'),
  ...rows(
    undefined,
    'error ERC20InvalidSender(address sender)',
    'error ERC20InvalidReceiver(address receiver)',
    'error ERC20InvalidApprover(address approver)',
    'error ERC20InvalidSpender(address spender)',
    'error ERC20ExceededCap(uint256 increasedSupply, uint256 cap)',
    'error ERC721InvalidOwner(address owner)',
    'error ERC721NonexistentToken(uint256 tokenId)',
    'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
    'error ERC721InvalidSender(address sender)',
    'error ERC721InvalidReceiver(address receiver)',
    'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
    'error ERC721InvalidApprover(address approver)',
    'error ERC721InvalidOperator(address operator)',
    'error ERC1155InvalidSender(address sender)',
    'error ERC1155InvalidReceiver(address receiver)',
    'error ERC1155MissingApprovalForAll(address operator, address owner)',
    'error ERC1155InvalidApprover(address approver)',
    'error ERC1155InvalidOperator(address operator)',
    'error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)',
    'error ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max)',
    'error ERC4626ExceededMaxMint(address receiver, uint256 shares, uint256 max)',
    'error ERC4626ExceededMaxWithdraw(address owner, uint256 assets, uint256 max)',
    'error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)',
    'error ApprovalCallerNotOwnerNorApproved()',
    'error TransferCallerNotOwnerNorApproved()',
    'error TransferFromIncorrectOwner()',
    'error OwnerQueryForNonexistentToken()',
    'error TransferToNonERC721ReceiverImplementer()',
    'error MintZeroQuantity()',
  ),
];

/** Parts that contracts of every kind are made of. */
const PARTS: readonly KnownErrorRow[] = [
  ...rows('CONTRACT_PAUSED', 'error EnforcedPause()', 'error Paused()'),
  ...rows(
    'INVALID_SENDER',
    'error OwnableUnauthorizedAccount(address account)',
    'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  ),
  ...rows(
    'INVALID_SIGNATURE',
    'error ECDSAInvalidSignature()',
    'error ECDSAInvalidSignatureLength(uint256 length)',
    'error ECDSAInvalidSignatureS(bytes32 s)',
  ),
  ...rows('INVALID_NONCE', 'error InvalidAccountNonce(address account, uint256 currentNonce)'),
  ...rows(
    'INSUFFICIENT_NATIVE_TOKENS_SUPPLIED',
    'error InsufficientBalance(uint256 balance, uint256 needed)',
    'error AddressInsufficientBalance(address account)',
  ),
  ...rows(
    undefined,
    'error ExpectedPause()',
    'error OwnableInvalidOwner(address owner)',
    'error AccessControlBadConfirmation()',
    'error ReentrancyGuardReentrantCall()',
    'error AddressEmptyCode(address target)',
    'error SafeERC20FailedDecreaseAllowance(address spender, uint256 currentAllowance, uint256 requestedDecrease)',
    'error SafeCastOverflowedUintDowncast(uint8 bits, uint256 value)',
    'error MathOverflowedMulDiv()',
    'error InvalidInitialization()',
    'error NotInitializing()',
    'error Unauthorized()',
  ),
  { error: 'error FailedCall()', passesOn: true },
  { error: 'error FailedInnerCall()', passesOn: true },
  { error: 'error SafeERC20FailedOperation(address token)', reason: 'TRANSFER_FAILED', passesOn: true },
  { error: 'error TransferFromFailed()', reason: 'TRANSFER_FROM_FAILED', passesOn: true },
  { error: 'error TransferFailed()', reason: 'TRANSFER_FAILED', passesOn: true },
  { error: 'error ETHTransferFailed()', reason: 'TRANSFER_FAILED', passesOn: true },
  { error: 'error ApproveFailed()', passesOn: true },
  { error: 'error Permit2Failed()', passesOn: true },
];

/** Permit2 (`AllowanceTransfer`, `SignatureTransfer`, `SignatureVerification`, `PermitErrors`). */
const PERMIT2: readonly KnownErrorRow[] = [
  ...rows('SIGNATURE_EXPIRED', 'error SignatureExpired(uint256 signatureDeadline)'),
  ...rows('INVALID_NONCE', 'error InvalidNonce()'),
  ...rows('INVALID_SIGNER', 'error InvalidSigner()'),
  ...rows(
    'INVALID_SIGNATURE',
    'error InvalidSignature()',
    'error InvalidSignatureLength()',
    'error InvalidContractSignature()',
  ),
  ...rows(
    'TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE',
    'error InsufficientAllowance(uint256 amount)',
    'error AllowanceExpired(uint256 deadline)',
    'error InvalidAmount(uint256 maxAmount)',
  ),
  ...rows(undefined, 'error ExcessiveInvalidation()', 'error LengthMismatch()'),
];

/** ERC-4337's EntryPoint 0.6, 0.7 and 0.8; a test compares with their ABIs. */
const ENTRY_POINT: readonly KnownErrorRow[] = [
  { error: 'error FailedOp(uint256 opIndex, string reason)', text: 'reason' },
  {
    error: 'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
    ...{ passesOn: true, inner: 'inner', text: 'reason' },
  },
  { error: 'error PostOpReverted(bytes returnData)', passesOn: true, inner: 'returnData' },
  ...rows('ACCOUNT_ABSTRACTION_SIGNATURE_ERROR', 'error SignatureValidationFailed(address aggregator)'),
  ...rows(
    undefined,
    'error SenderAddressResult(address sender)',
    'error DelegateAndRevert(bool success, bytes ret)',
    'error InvalidShortString()',
    'error StringTooLong(string str)',
  ),
];

/** Uniswap's routers and pool manager, 1inch. */
const ROUTERS: readonly KnownErrorRow[] = [
  ...rows(
    'TOO_LITTLE_RECEIVED',
    'error V2TooLittleReceived()',
    'error V3TooLittleReceived()',
    'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
    'error ReturnAmountIsNotEnough()',
    'error ReturnAmountIsNotEnough(uint256 result, uint256 minReturn)',
  ),
  ...rows(
    'SLIPPAGE',
    'error V2TooMuchRequested()',
    'error V3TooMuchRequested()',
    'error V4TooMuchRequested(uint256 maxAmountInRequested, uint256 amountRequested)',
  ),
  ...rows('ORDER_EXPIRED', 'error TransactionDeadlinePassed()', 'error DeadlinePassed(uint256 deadline)'),
  ...rows('INSUFFICIENT_NATIVE_TOKENS_SUPPLIED', 'error InsufficientETH()'),
  ...rows('TRANSFER_AMOUNT_EXCEEDS_BALANCE', 'error InsufficientToken()', 'error BalanceTooLow()'),
  ...rows(
    undefined,
    'error V2InvalidPath()',
    'error V3InvalidSwap()',
    'error V3InvalidAmountOut()',
    'error V3InvalidCaller()',
    'error InvalidPath()',
    'error InvalidReserves()',
    'error ETHNotAccepted()',
    'error InvalidEthSender()',
    'error InvalidBips()',
    'error InvalidCommandType(uint256 commandType)',
    'error FromAddressIsNotOwner()',
    'error SliceOutOfBounds()',
    'error PoolNotInitialized()',
    'error CurrencyNotSettled()',
    'error PriceLimitAlreadyExceeded(uint160 sqrtPriceCurrentX96, uint160 sqrtPriceLimitX96)',
  ),
  {
    error: 'error ExecutionFailed(uint256 commandIndex, bytes message)',
    ...{ passesOn: true, inner: 'message' },
  },
  {
    error: 'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
    ...{ passesOn: true, inner: 'reason', at: 'target' },
  },
];

/** Markets for tokens: Seaport and SeaDrop. */
const MARKETS: readonly KnownErrorRow[] = [
  ...rows('EXTERNAL_INEXACT_FRACTION', 'error InexactFraction()'),
  ...rows('ORDER_IS_CANCELLED', 'error OrderIsCancelled(bytes32 orderHash)'),
  ...rows('ORDER_EXPIRED', 'error InvalidTime(uint256 startTime, uint256 endTime)'),
  ...rows('INVALID_SIGNATURE', 'error BadSignatureV(uint8 v)', 'error BadContractSignature()'),
  ...rows('INSUFFICIENT_NATIVE_TOKENS_SUPPLIED', 'error InsufficientNativeTokensSupplied()'),
  {
    error:
      'error TokenTransferGenericFailure(address token, address from, address to, uint256 identifier, uint256 amount)',
    ...{ reason: 'TRANSFER_FROM_FAILED', passesOn: true, at: 'token' },
  },
  ...rows('MINT_NOT_ACTIVE', 'error NotActive(uint256 currentTimestamp, uint256 startTimestamp, uint256 endTimestamp)'),
  ...rows('INCORRECT_PAYMENT', 'error IncorrectPayment(uint256 got, uint256 want)'),
  ...rows(
    'MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET',
    'error MintQuantityExceedsMaxMintedPerWallet(uint256 total, uint256 allowed)',
  ),
  ...rows('MINT_QUANTITY_EXCEEDS_MAX_SUPPLY', 'error MintQuantityExceedsMaxSupply(uint256 total, uint256 maxSupply)'),
];

/** Errors of widely used contracts. The service's own are in `own-errors.ts`. */
export const KNOWN_ERRORS: readonly KnownErrorRow[] = Object.freeze([
  ...TOKENS,
  ...PARTS,
  ...PERMIT2,
  ...ENTRY_POINT,
  ...ROUTERS,
  ...MARKETS,
]);
