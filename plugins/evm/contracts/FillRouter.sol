// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Call, CallAccount} from "./CallAccount.sol";
import {Calls} from "./lib/Calls.sol";
import {Owned} from "./lib/Owned.sol";

/// What the recipient of an order is to have got in the end.
struct Wanted {
    /// Zero address: the native coin.
    address token;
    /// Smallest unit.
    uint256 least;
}

/// Pays a filler's own funds to an order's recipient, at most once per order and never after its deadline.
///
/// Invariants
/// - `filled[orderId]` goes from false to true once, before anything outside is called, and never back.
/// - A fill succeeds only if the recipient, or the account that makes the order's calls, got at least `amount`; a fill with a
///   swap only if the recipient also got at least what is wanted.
/// - No value stays here between transactions.
/// - At any block whose timestamp is past the deadline, `filled[orderId] == false` means it never will be filled here.
///   (The filler must use one deadline per order: the router does not know the order, only what it is told.)
contract FillRouter is Owned {
    mapping(address filler => bool) public fillers;
    mapping(bytes32 orderId => bool) public filled;

    event FillerSet(address indexed filler, bool allowed);
    event OrderFilled(bytes32 indexed orderId, address token, address to, uint256 amount, address filler);
    event SolverNativeTransfer(address to, uint256 amount);
    event SolverCallExecuted(address to, bytes data, uint256 amount);
    /// What calls brought the recipient of a currency that an order asks for, beside or in place of the one it was filled in.
    event SwapDelivered(bytes32 indexed orderId, address token, uint256 amount);

    error NotFiller();
    error AlreadyFilled(bytes32 orderId);
    error DeadlinePassed(bytes32 orderId, uint256 deadline);
    error ZeroAmount();
    error NoCalls();
    error CloneFailed();
    error BadRecipient(address to);
    error WrongValue(uint256 expected, uint256 got);
    /// The recipient refused native coin; `reason` is its revert data, at most 1024 bytes.
    error RecipientReverted(address to, bytes reason);
    /// A token delivered less than `amount` (a fee on transfer, a recipient that passes tokens on, or a token that lies).
    error DeliveredShort(address token, uint256 amount, uint256 delivered);
    /// Calls brought the recipient less than was wanted.
    error BroughtShort(address token, uint256 least, uint256 brought);

    /// Accounts of orders are clones of the first contract that this one deploys.
    constructor(address initialOwner) Owned(initialOwner) {
        new CallAccount();
    }

    function setFiller(address filler, bool allowed) external onlyOwner {
        if (filler == address(0)) revert ZeroAddress();
        fillers[filler] = allowed;
        emit FillerSet(filler, allowed);
    }

    /// @param token Zero address: the native coin, sent along as value. Else pulled from the filler's allowance.
    /// @param amount What the recipient must get at least, smallest unit.
    /// @param deadline Last block timestamp (seconds) at which the fill may happen.
    /// @param orderId Last word of the calldata, where indexers of the protocol look for it.
    function fill(address token, address to, uint256 amount, uint256 deadline, bytes32 orderId) external payable {
        uint256 value = _open(token, to, amount, deadline, orderId);
        if (value != 0) {
            (bool ok, bytes memory reason) = Calls.callWithValue(to, amount, "");
            if (!ok) revert RecipientReverted(to, reason);
            emit SolverNativeTransfer(to, amount);
        } else {
            _deliver(token, to, amount);
        }
        emit OrderFilled(orderId, token, to, amount, msg.sender);
    }

    /// Pays an account that makes the order's calls and sends what is left to the recipient; all of it happens or nothing.
    ///
    /// Parameters as for `fill`. The calldata ends with the order id once more, where indexers look for it.
    function fillWithCalls(
        address token,
        address to,
        uint256 amount,
        uint256 deadline,
        bytes32 orderId,
        Call[] calldata calls
    ) external payable {
        _fillWithCalls(token, to, amount, deadline, orderId, calls);
    }

    /// The same for calls that exchange what is delivered: whatever they pass through, the recipient must have got at least so
    /// much of a currency in the end, by its own balance.
    ///
    /// Parameters as for `fill`; `token` and `amount` are what the filler gives.
    function fillWithSwap(
        address token,
        address to,
        uint256 amount,
        uint256 deadline,
        bytes32 orderId,
        Call[] calldata calls,
        Wanted calldata wanted
    ) external payable {
        uint256 before = _holds(wanted.token, to);
        _fillWithCalls(token, to, amount, deadline, orderId, calls);
        uint256 afterwards = _holds(wanted.token, to);
        uint256 delivered = afterwards > before ? afterwards - before : 0;
        if (delivered < wanted.least) revert BroughtShort(wanted.token, wanted.least, delivered);
        emit SwapDelivered(orderId, wanted.token, delivered);
    }

    /// Where the calls of an order come from.
    function accountOf(bytes32 orderId, address to) external view returns (address) {
        bytes32 code = keccak256(_cloneCode(to));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), orderId, code)))));
    }

    function _fillWithCalls(
        address token,
        address to,
        uint256 amount,
        uint256 deadline,
        bytes32 orderId,
        Call[] calldata calls
    ) private {
        if (calls.length == 0) revert NoCalls();
        uint256 value = _open(token, to, amount, deadline, orderId);
        CallAccount account = _account(orderId, to);
        if (value == 0) _deliver(token, address(account), amount);
        account.run{value: value}(token, calls);
        for (uint256 i = 0; i < calls.length; ++i) {
            emit SolverCallExecuted(calls[i].to, calls[i].data, calls[i].value);
        }
        emit OrderFilled(orderId, token, to, amount, msg.sender);
    }

    function _holds(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : Calls.balanceOf(token, who);
    }

    /// Refuses what must not be filled, and marks the order before anything outside is called.
    ///
    /// @return value Native coin to deliver: 0 for a token.
    function _open(address token, address to, uint256 amount, uint256 deadline, bytes32 orderId)
        private
        returns (uint256 value)
    {
        if (!fillers[msg.sender]) revert NotFiller();
        if (filled[orderId]) revert AlreadyFilled(orderId);
        if (block.timestamp > deadline) revert DeadlinePassed(orderId, deadline);
        if (amount == 0) revert ZeroAmount();
        if (to == address(0) || to == address(this)) revert BadRecipient(to);
        value = token == address(0) ? amount : 0;
        if (msg.value != value) revert WrongValue(value, msg.value);
        filled[orderId] = true;
    }

    function _deliver(address token, address to, uint256 amount) private {
        uint256 before = Calls.balanceOf(token, to);
        Calls.transferFrom(token, msg.sender, to, amount);
        uint256 afterwards = Calls.balanceOf(token, to);
        uint256 delivered = afterwards > before ? afterwards - before : 0;
        if (delivered < amount) revert DeliveredShort(token, amount, delivered);
    }

    /// Deploys the account of an order. Nothing but this can deploy at its address.
    function _account(bytes32 orderId, address to) private returns (CallAccount account) {
        bytes memory code = _cloneCode(to);
        assembly ("memory-safe") {
            account := create2(0, add(code, 32), mload(code), orderId)
        }
        if (address(account) == address(0)) revert CloneFailed();
    }

    /// Creation code of an ERC-1167 proxy to the account's code, with the recipient after it.
    function _cloneCode(address to) private view returns (bytes memory) {
        return abi.encodePacked(
            hex"6100413d81600a3d39f3363d3d373d3d3d363d73", _template(), hex"5af43d82803e903d91602b57fd5bf3", to
        );
    }

    /// The first contract that this one deployed: its address follows from ours and from the nonce 1.
    function _template() private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(this), hex"01")))));
    }
}
