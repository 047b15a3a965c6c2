import { keccak256 } from './keccak.js';

const INPUT_PAYMENT = 'InputPayment(string chainId,bytes currency,uint256 amount,uint256 weight)';
const INPUT_REFUND =
  'InputRefund(string chainId,bytes recipient,bytes currency,uint256 minimumAmount,uint32 deadline,bytes extraData)';
const INPUT = 'Input(InputPayment payment,InputRefund[] refunds)';
const OUTPUT_PAYMENT = 'OutputPayment(bytes recipient,bytes currency,uint256 minimumAmount,uint256 expectedAmount)';
const OUTPUT = 'Output(string chainId,OutputPayment[] payments,uint32 deadline,bytes[] calls,bytes extraData)';
const FEE = 'Fee(string recipientChainId,bytes recipient,string currencyChainId,bytes currency,uint256 amount)';
const ORDER =
  'Order(string version,string solverChainId,address solver,uint256 salt,Input[] inputs,Output output,Fee[] fees)';

/** Each type's text, then referenced types sorted by name. */
const TYPES = {
  order: ORDER + FEE + INPUT + INPUT_PAYMENT + INPUT_REFUND + OUTPUT + OUTPUT_PAYMENT,
  input: INPUT + INPUT_PAYMENT + INPUT_REFUND,
  inputPayment: INPUT_PAYMENT,
  inputRefund: INPUT_REFUND,
  output: OUTPUT + OUTPUT_PAYMENT,
  outputPayment: OUTPUT_PAYMENT,
  fee: FEE,
} as const;

export type OrderType = keyof typeof TYPES;

export function typeHash(type: OrderType): Uint8Array {
  return keccak256(new TextEncoder().encode(TYPES[type]));
}
