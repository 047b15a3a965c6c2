// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Calls} from "./lib/Calls.sol";
import {Owned} from "./lib/Owned.sol";

/// Holds users' deposits until they are collected or refunded.
///
/// Invariants
/// - An event's amount is what arrived (deposit) or what left (withdrawal), never what was requested.
/// - Value leaves only under a signature of the allocator over exactly (token, to, amount, key, expiration, submitter)
///   for this contract on this chain, at most once per key, and never after its expiration.
/// - `used[key]` is set before any external call.
contract Depository is Owned {
    struct Withdrawal {
        /// Zero address: the native coin.
        address token;
        address to;
        uint256 amount;
        /// Once-only key, chosen off chain as keccak(funding key, leg).
        bytes32 key;
        /// Last block timestamp (seconds) at which this may execute.
        uint256 expiration;
    }

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant WITHDRAWAL_TYPEHASH = keccak256(
        "Withdrawal(address token,address to,uint256 amount,bytes32 key,uint256 expiration,address submitter)"
    );
    bytes32 private constant BATCH_TYPEHASH = keccak256(
        "WithdrawalBatch(Withdrawal[] withdrawals)Withdrawal(address token,address to,uint256 amount,bytes32 key,uint256 expiration,address submitter)"
    );
    /// Half of the secp256k1 group order: signatures with a larger s are the malleable twin of one with a smaller.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    address public allocator;
    mapping(bytes32 key => bool) public used;
    bool private transient entered;

    event RelayNativeDeposit(address from, uint256 amount, bytes32 id);
    event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id);
    event Withdrawn(bytes32 indexed key, address token, address to, uint256 amount);
    event AllocatorChanged(address indexed allocator);

    error Reentered();
    error ZeroAmount();
    error NothingMoved(address token);
    /// The token took more from this contract than was authorised.
    error Overdrawn(address token, uint256 authorised, uint256 taken);
    error BadRecipient(address to);
    error BadSignature();
    error Expired(bytes32 key, uint256 expiration);
    error KeyUsed(bytes32 key);
    error EmptyBatch();
    /// The recipient refused native coin; `reason` is its revert data, at most 1024 bytes.
    error RecipientReverted(address to, bytes reason);

    /// Also covers deposits: a token with hooks could otherwise have one transfer counted by two nested deltas.
    modifier nonReentrant() {
        if (entered) revert Reentered();
        entered = true;
        _;
        entered = false;
    }

    constructor(address initialOwner, address initialAllocator) Owned(initialOwner) {
        _setAllocator(initialAllocator);
    }

    function depositNative(address depositor, bytes32 id) external payable nonReentrant {
        if (msg.value == 0) revert ZeroAmount();
        emit RelayNativeDeposit(depositor == address(0) ? msg.sender : depositor, msg.value, id);
    }

    function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external nonReentrant {
        if (amount == 0) revert ZeroAmount();
        uint256 before = Calls.balanceOf(token, address(this));
        Calls.transferFrom(token, msg.sender, address(this), amount);
        uint256 arrived = Calls.balanceOf(token, address(this)) - before;
        if (arrived == 0) revert NothingMoved(token);
        emit RelayErc20Deposit(depositor == address(0) ? msg.sender : depositor, token, arrived, id);
    }

    /// Accepts native coin that a deposit address forwards. It is no deposit: the address where it first arrived identifies that.
    /// A deposit address also calls it before it forwards a token, so that nothing arrives while a deposit or withdrawal measures
    /// a balance.
    function takeSwept() external payable nonReentrant {}

    /// Only the submitter that the allocator named may execute it, so no one else can spend the key before that submitter's
    /// own transaction and make that one revert.
    function withdraw(
        address token,
        address to,
        uint256 amount,
        bytes32 key,
        uint256 expiration,
        bytes calldata signature
    ) external nonReentrant {
        Withdrawal memory item = Withdrawal(token, to, amount, key, expiration);
        _authorise(_hash(item), signature);
        _execute(item);
    }

    /// One signature over the whole list; all of it happens or nothing.
    function withdrawBatch(Withdrawal[] calldata items, bytes calldata signature) external nonReentrant {
        if (items.length == 0) revert EmptyBatch();
        bytes32[] memory hashes = new bytes32[](items.length);
        for (uint256 i = 0; i < items.length; ++i) hashes[i] = _hash(items[i]);
        _authorise(keccak256(abi.encode(BATCH_TYPEHASH, keccak256(abi.encodePacked(hashes)))), signature);
        for (uint256 i = 0; i < items.length; ++i) _execute(items[i]);
    }

    /// Signatures of the former allocator are void from this block on.
    function setAllocator(address next) external onlyOwner {
        _setAllocator(next);
    }

    /// Computed on every call: a signature must not survive onto a fork with another chain id.
    function domainSeparator() public view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256("CausewayDepository"), keccak256("1"), block.chainid, address(this))
        );
    }

    function _setAllocator(address next) private {
        if (next == address(0)) revert ZeroAddress();
        allocator = next;
        emit AllocatorChanged(next);
    }

    function _hash(Withdrawal memory item) private view returns (bytes32) {
        return keccak256(
            abi.encode(WITHDRAWAL_TYPEHASH, item.token, item.to, item.amount, item.key, item.expiration, msg.sender)
        );
    }

    function _authorise(bytes32 structHash, bytes calldata signature) private view {
        if (signature.length != 65) revert BadSignature();
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        uint8 v = uint8(signature[64]);
        if (uint256(s) > HALF_ORDER || (v != 27 && v != 28)) revert BadSignature();
        address signer = ecrecover(keccak256(abi.encodePacked(hex"1901", domainSeparator(), structHash)), v, r, s);
        // guard: depository-allocator
        if (signer == address(0) || signer != allocator) revert BadSignature();
    }

    function _execute(Withdrawal memory item) private {
        if (block.timestamp > item.expiration) revert Expired(item.key, item.expiration);
        // guard: depository-once-per-key
        if (used[item.key]) revert KeyUsed(item.key);
        used[item.key] = true;
        if (item.amount == 0) revert ZeroAmount();
        if (item.to == address(0) || item.to == address(this)) revert BadRecipient(item.to);
        uint256 moved = item.token == address(0) ? _payNative(item) : _payToken(item);
        emit Withdrawn(item.key, item.token, item.to, moved);
    }

    function _payNative(Withdrawal memory item) private returns (uint256) {
        (bool ok, bytes memory reason) = Calls.callWithValue(item.to, item.amount, "");
        if (!ok) revert RecipientReverted(item.to, reason);
        return item.amount;
    }

    function _payToken(Withdrawal memory item) private returns (uint256 moved) {
        uint256 before = Calls.balanceOf(item.token, address(this));
        Calls.transfer(item.token, item.to, item.amount);
        uint256 left = Calls.balanceOf(item.token, address(this));
        if (left >= before) revert NothingMoved(item.token);
        moved = before - left;
        if (moved > item.amount) revert Overdrawn(item.token, item.amount, moved);
    }
}
