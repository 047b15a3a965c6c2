// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Calls} from "./lib/Calls.sol";
import {Owned} from "./lib/Owned.sol";

/// Pays a filler's own funds to an order's recipient, at most once per order and never after its deadline.
///
/// Invariants
/// - `filled[orderId]` goes from false to true once, before anything outside is called, and never back.
/// - A fill succeeds only if the recipient got at least `amount`.
/// - No value stays here between transactions.
/// - At any block whose timestamp is past the deadline, `filled[orderId] == false` means it never will be filled here.
///   (The filler must use one deadline per order: the router does not know the order, only what it is told.)
contract FillRouter is Owned {
    mapping(address filler => bool) public fillers;
    mapping(bytes32 orderId => bool) public filled;

    event FillerSet(address indexed filler, bool allowed);
    event OrderFilled(bytes32 indexed orderId, address token, address to, uint256 amount, address filler);
    event SolverNativeTransfer(address to, uint256 amount);

    error NotFiller();
    error AlreadyFilled(bytes32 orderId);
    error DeadlinePassed(bytes32 orderId, uint256 deadline);
    error ZeroAmount();
    error BadRecipient(address to);
    error WrongValue(uint256 expected, uint256 got);
    /// The recipient refused native coin; `reason` is its revert data, at most 1024 bytes.
    error RecipientReverted(address to, bytes reason);
    /// A token delivered less than `amount` (a fee on transfer, a recipient that passes tokens on, or a token that lies).
    error DeliveredShort(address token, uint256 amount, uint256 delivered);

    constructor(address initialOwner) Owned(initialOwner) {}

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
        if (!fillers[msg.sender]) revert NotFiller();
        if (filled[orderId]) revert AlreadyFilled(orderId);
        if (block.timestamp > deadline) revert DeadlinePassed(orderId, deadline);
        if (amount == 0) revert ZeroAmount();
        if (to == address(0) || to == address(this)) revert BadRecipient(to);
        uint256 value = token == address(0) ? amount : 0;
        if (msg.value != value) revert WrongValue(value, msg.value);

        filled[orderId] = true;
        if (token == address(0)) {
            (bool ok, bytes memory reason) = Calls.callWithValue(to, amount, "");
            if (!ok) revert RecipientReverted(to, reason);
            emit SolverNativeTransfer(to, amount);
        } else {
            uint256 before = Calls.balanceOf(token, to);
            Calls.transferFrom(token, msg.sender, to, amount);
            uint256 afterwards = Calls.balanceOf(token, to);
            uint256 delivered = afterwards > before ? afterwards - before : 0;
            if (delivered < amount) revert DeliveredShort(token, amount, delivered);
        }
        emit OrderFilled(orderId, token, to, amount, msg.sender);
    }
}
