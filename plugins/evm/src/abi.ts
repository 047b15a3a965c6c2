import { parseAbi } from 'viem/utils';

/** ABI of contracts/*.sol; a test compares it with the compiled contracts. */
export const depositoryAbi = parseAbi([
  'function depositNative(address depositor, bytes32 id) payable',
  'function depositErc20(address depositor, address token, uint256 amount, bytes32 id)',
  'function withdraw(address token, address to, uint256 amount, bytes32 key, uint256 expiration, bytes signature)',
  'function allocator() view returns (address)',
  'function used(bytes32 key) view returns (bool)',
  'event RelayNativeDeposit(address from, uint256 amount, bytes32 id)',
  'event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)',
  'event Withdrawn(bytes32 indexed key, address token, address to, uint256 amount)',
  'function takeSwept() payable',
]);

export const depositAddressesAbi = parseAbi([
  'function sweepOne(bytes32 salt, address token)',
  'function sweep(bytes32[] salts, address[] tokens, uint256 gasEach) returns (uint256[] took)',
  'function arrived(address[] forwarders, address[] tokens) view returns (uint256[] amounts)',
  'function swept(address forwarder, address token) view returns (uint256)',
  'function held(address[] forwarders, address token) view returns (uint256[] amounts)',
  'function addressOf(bytes32 salt) view returns (address)',
  'function depository() view returns (address)',
  'event Swept(address indexed forwarder, address indexed depository, address token, uint256 amount, uint256 received, uint256 total)',
  'event SweepFailed(address indexed forwarder, address token, uint256 took, bytes reason)',
]);

export const routerAbi = parseAbi([
  'function fill(address token, address to, uint256 amount, uint256 deadline, bytes32 orderId) payable',
  'function filled(bytes32 orderId) view returns (bool)',
  'function fillers(address filler) view returns (bool)',
  'event OrderFilled(bytes32 indexed orderId, address token, address to, uint256 amount, address filler)',
  'function fillWithCalls(address token, address to, uint256 amount, uint256 deadline, bytes32 orderId, (address to, uint256 value, bytes data)[] calls) payable',
  'function fillWithSwap(address token, address to, uint256 amount, uint256 deadline, bytes32 orderId, (address to, uint256 value, bytes data)[] calls, (address token, uint256 least) wanted) payable',
  'event SwapDelivered(bytes32 indexed orderId, address token, uint256 amount)',
  'function fillMany((uint256 terms, uint256 payment, bytes32 orderId)[] shares) payable returns (uint256[] took)',
  'event ShareFilled(bytes32 indexed orderId, uint256 terms, uint256 payment)',
  'event FillSkipped(bytes32 indexed orderId, uint256 took, bytes reason)',
  'function fillCallsWithCoin(address token, address to, uint256 amount, uint256 deadline, bytes32 orderId, (address to, uint256 value, bytes data)[] calls, (uint256 amount, bytes32 id) coin) payable',
]);

export const swapEntryAbi = parseAbi([
  'struct Call { address to; uint256 value; bytes data; }',
  'struct Swap { bytes32 orderId; address tokenIn; uint256 amountIn; address tokenOut; uint256 least; uint256 deadline; uint256 fee; address feeTo; Call[] calls; }',
  'function swap(Swap order, address recipient) payable',
  'function swapAndDeposit(Swap order) payable',
  'function depository() view returns (address)',
  'event SwapExecuted(bytes32 indexed orderId, address payer, address recipient, address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut, address feeTo, uint256 fee)',
  'event SwapDeposited(bytes32 indexed orderId, address payer, address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut, address feeTo, uint256 fee)',
  'struct Refund { address token; uint256 amount; bytes32 key; uint256 expiration; address recipient; address tokenOut; uint256 least; Call[] calls; }',
  'function refund(Refund order, bytes signature)',
  'event RefundSwapped(bytes32 indexed key, address recipient, address tokenOut, uint256 amountOut)',
]);

export const errorsAbi = parseAbi([
  'error Reentered()',
  'error ZeroAmount()',
  'error NothingMoved(address token)',
  'error Overdrawn(address token, uint256 authorised, uint256 taken)',
  'error BadRecipient(address to)',
  'error BadSignature()',
  'error Expired(bytes32 key, uint256 expiration)',
  'error KeyUsed(bytes32 key)',
  'error RecipientReverted(address to, bytes reason)',
  'error NotFiller()',
  'error TooLittleGas(uint256 index)',
  'error AlreadyFilled(bytes32 orderId)',
  'error DeadlinePassed(bytes32 orderId, uint256 deadline)',
  'error WrongValue(uint256 expected, uint256 got)',
  'error NothingToSweep(address forwarder, address token)',
  'error UnequalLists()',
  'error NotItself()',
  'error NotFactory()',
  'error NoCalls()',
  'error NoToken()',
  'error CloneFailed()',
  'error NotRouter()',
  'error Running()',
  'error CallFailed(uint256 index, address to, bytes reason)',
  'error DeliveredShort(address token, uint256 amount, uint256 delivered)',
  'error BroughtShort(address token, uint256 least, uint256 brought)',
  'error TokenTransferFailed(address token, bytes reason)',
  'error TokenBalanceUnreadable(address token)',
  'error Error(string message)',
  'error Panic(uint256 code)',
]);

export const erc20Abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
]);

/** Some older tokens return their symbol as `bytes32`. */
export const tokenFactsAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
]);
