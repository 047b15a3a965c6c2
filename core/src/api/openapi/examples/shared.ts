export const NATIVE = '0x0000000000000000000000000000000000000000';
export const USER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
export const REQUEST_ID = '0xb0c7fd8a47a9db2ad21aa7b0053e06d4352c26a4bf6625d764b1819d0d781ec6';
export const DEPOSIT_HASH = '0x46a77a17929537de5c72a999d47a81cd48603de7c11052d7331067a94d0e6ace';

const ether = (chainId: number) => ({
  chainId,
  address: NATIVE,
  symbol: 'ETH',
  name: 'Ether',
  decimals: 18,
  metadata: { logoURI: '', verified: true, isNative: true },
});

export const ETHER = ether(31_337);
export const OTHER_ETHER = ether(31_338);

export function amount(
  currency: object,
  units: string,
  amountFormatted: string,
  amountUsd: string,
  minimumAmount = units,
): object {
  return { currency, amount: units, amountFormatted, amountUsd, minimumAmount };
}

/** The answer of paths that this version does not serve. */
export function refused(message: string): object {
  return { message, errorCode: 'UNSUPPORTED_EXECUTION_TYPE', statusCode: 400, retriable: false };
}

/** `feeSponsorship` of the examples' transfer, whose payer bears all fees. @param service name of the component. */
export function unsponsored(service: 'platform' | 'relay') {
  const none = amount(ETHER, '0', '0', '0.000000');
  const component = (total: ReturnType<typeof amount>) => ({
    selected: false,
    total,
    sponsored: none,
    userPays: total,
  });
  const side = {
    selectedComponents: [],
    capHit: false,
    components: {
      execution: component(amount(ETHER, '222136176000', '0.000000222136176', '0.000666')),
      swap: component(none),
      [service]: component(amount(ETHER, '500000000000000', '0.0005', '1.500000')),
      app: component(none),
      rent: component(none),
    },
    sponsoredTotal: none,
    userPaysTotal: amount(ETHER, '500222136176000', '0.000500222136176', '1.500666'),
  };
  return { quoted: side, actual: side };
}
