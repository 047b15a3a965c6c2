import { parseAbi } from 'viem/utils';

/** ABI of contracts/PermitEntry.sol; a test compares it with the compiled contract. */
export const permitEntryAbi = parseAbi([
  'struct Permitted { address payer; address token; uint256 amount; bytes32 orderId; uint256 deadline; }',
  'function depositWithAuthorization(Permitted order, uint8 v, bytes32 r, bytes32 s)',
  'function depositWithPermit(Permitted order, uint8 v, bytes32 r, bytes32 s)',
  'function depositWithPermit2(Permitted order, bytes signature)',
  'function spenderOf(Permitted order) view returns (address)',
  'function depository() view returns (address)',
  'function permit2() view returns (address)',
]);

/** What tokens with permits answer. */
export const permitTokenAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
  'function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() view returns (bytes32)',
  'function nonces(address owner) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
]);

export const permit2Abi = parseAbi(['function nonceBitmap(address owner, uint256 word) view returns (uint256)']);
