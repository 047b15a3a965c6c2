// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Call, CallAccount} from "./CallAccount.sol";
import {Calls} from "./lib/Calls.sol";
import {Owned} from "./lib/Owned.sol";

/// What the recipient of an order must have received in the end.
struct Wanted {
    /// Zero address: the native coin.
    address token;
    /// Smallest unit.
    uint256 least;
}

/// Native coin that goes to the account of an order in addition to what it is filled with, under an id of its own.
struct Coin {
    /// Smallest unit.
    uint256 amount;
    bytes32 id;
}

/// One of several fills of a transaction, packed into three words because calldata is paid for by the byte. The id is last, where
/// indexers look for it.
struct Share {
    /// Token (20 bytes; 0: the native coin, 1: the token that an earlier share named last), maximum gas of this fill (7 bytes),
    /// deadline (5 bytes).
    uint256 terms;
    /// Recipient (20 bytes), amount (12 bytes).
    uint256 payment;
    bytes32 orderId;
}

/// Pays a filler's own funds to an order's recipient, at most once per order and never after its deadline.
///
/// Invariants
/// - `filled[orderId]` changes from false to true once, before any external call, and never back.
/// - A fill succeeds only if the recipient, or the account that makes the order's calls, received at least `amount`; a fill with
///   a swap only if the recipient also received at least `wanted`.
/// - An order and its additional coin (`fillCallsWithCoin`) are both filled, or neither is; the coin goes to the account of that
///   order alone.
/// - No value stays here between transactions. What is here in the middle of `fillMany` leaves by its loop alone: while that
///   runs, every other entry point reverts.
/// - Each fill of `fillMany` succeeds or fails by itself: one that fails emits `FillSkipped`, its `filled` stays false, and its
///   value goes back to the filler in the same transaction.
/// - At any block whose timestamp is past the deadline, `filled[orderId] == false` means it never will be filled here.
///   (The filler must use one deadline per order: the router does not know the order, only the parameters of its calls.)
contract FillRouter is Owned {
    /// Gas used between the check of what is left and the call that follows it.
    uint256 private constant CALL_GAS = 3_000;
    /// Bytes of an error of these contracts that carries the longest reason, `Calls.MAX_REASON`, in whole words.
    uint256 private constant MAX_ERROR_BYTES = 1156;

    /// Selectors of `fillShare`, `TooLittleGas` and `FillSkipped`, for assembly, which accepts only literals.
    bytes32 private constant FILL_SHARE = 0xbfe9df3e00000000000000000000000000000000000000000000000000000000;
    bytes32 private constant TOO_LITTLE_GAS = 0x34edfe3100000000000000000000000000000000000000000000000000000000;
    bytes32 private constant FILL_SKIPPED = 0x66e8d470abfa16d43bad43e56364964d9d428b92ac55c89f4055132726a0323c;

    mapping(address filler => bool) public fillers;
    mapping(bytes32 orderId => bool) public filled;
    bool private transient sharing;

    event FillerSet(address indexed filler, bool allowed);
    event OrderFilled(bytes32 indexed orderId, address token, address to, uint256 amount, address filler);
    event SolverNativeTransfer(address to, uint256 amount);
    event SolverCallExecuted(address to, bytes data, uint256 amount);
    /// What calls delivered to the recipient of a currency that an order asks for, in addition to or instead of the one it was
    /// filled in.
    event SwapDelivered(bytes32 indexed orderId, address token, uint256 amount);
    /// A fill of `fillMany` happened: as `OrderFilled` for other fills, with the packed words of its share.
    event ShareFilled(bytes32 indexed orderId, uint256 terms, uint256 payment);
    /// A fill of `fillMany` did not happen, and its value was returned to the filler. `took` is the gas that it used, `reason` the
    /// error that `fill` would have reverted with, at most 1156 bytes; empty where its gas ran out.
    event FillSkipped(bytes32 indexed orderId, uint256 took, bytes reason);

    error NotFiller();
    /// Something that was paid called back in the middle of `fillMany`.
    error Reentered();
    /// The transaction has less gas left than one of its fills may take: its sender gave it too little.
    error TooLittleGas(uint256 index);
    error AlreadyFilled(bytes32 orderId);
    error DeadlinePassed(bytes32 orderId, uint256 deadline);
    error ZeroAmount();
    error NoCalls();
    /// Additional native coin is for orders in a token only.
    error NoToken();
    error CloneFailed();
    error BadRecipient(address to);
    error WrongValue(uint256 expected, uint256 got);
    /// The recipient refused native coin; `reason` is its revert data, at most 1024 bytes.
    error RecipientReverted(address to, bytes reason);
    /// A token delivered less than `amount` (a fee on transfer, a recipient that forwards tokens, or a dishonest token).
    error DeliveredShort(address token, uint256 amount, uint256 delivered);
    /// Calls delivered less than `least` to the recipient.
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
        _open(token, to, amount, deadline, orderId);
        if (token == address(0)) _send(uint160(to), amount);
        else _deliver(token, msg.sender, to, amount);
        emit OrderFilled(orderId, token, to, amount, msg.sender);
    }

    /// Several fills in one transaction, each in a call of its own with the gas that its share names: only the one that fails is
    /// undone. The value sent along is the sum of all native amounts.
    ///
    /// @return took Gas that each fill used; 0 for those that did not happen.
    function fillMany(Share[] calldata shares) external payable returns (uint256[] memory took) {
        if (!fillers[msg.sender]) revert NotFiller();
        if (sharing) revert Reentered();
        sharing = true;
        uint256 due;
        uint256 back;
        assembly ("memory-safe") {
            // Allocated once: the calldata of each fill, which its share is copied into, and the result.
            let data := mload(0x40)
            mstore(data, FILL_SHARE)
            mstore(add(data, 100), caller())
            took := add(data, 192)
            mstore(sub(took, 32), 32)
            mstore(took, shares.length)
            let result := add(took, 32)
            let free := add(result, shl(5, shares.length))
            mstore(0x40, free)
            let token := 0
            for {
                let share := shares.offset
                let end := add(share, mul(shares.length, 96))
            } lt(share, end) {
                share := add(share, 96)
                result := add(result, 32)
            } {
                calldatacopy(add(data, 4), share, 96)
                let terms := mload(add(data, 4))
                let value := 0
                switch shr(96, terms)
                case 0 {
                    value := and(calldataload(add(share, 32)), 0xffffffffffffffffffffffff)
                    due := add(due, value)
                }
                case 1 { mstore(add(data, 4), or(token, and(terms, 0xffffffffffffffffffffffff))) }
                default { token := shl(96, shr(96, terms)) }
                let maxGas := and(shr(40, terms), 0xffffffffffffff)
                let used := gas()
                // Otherwise the call would silently get less gas than is asked for here, and fail because of that.
                if lt(sub(used, shr(6, used)), add(maxGas, CALL_GAS)) {
                    mstore(0, TOO_LITTLE_GAS)
                    mstore(4, div(sub(share, shares.offset), 96))
                    revert(0, 36)
                }
                let ok := call(maxGas, address(), 0, data, 132, 0, 0)
                used := sub(used, gas())
                mstore(result, mul(ok, used))
                if iszero(ok) {
                    back := add(back, value)
                    let size := returndatasize()
                    if gt(size, MAX_ERROR_BYTES) { size := MAX_ERROR_BYTES }
                    mstore(free, used)
                    mstore(add(free, 32), 64)
                    mstore(add(free, 64), size)
                    mstore(add(add(free, 96), size), 0)
                    returndatacopy(add(free, 96), 0, size)
                    log2(free, add(96, and(add(size, 31), not(31))), FILL_SKIPPED, calldataload(add(share, 64)))
                }
            }
        }
        // guard: shares-paid-exactly
        if (msg.value != due) revert WrongValue(due, msg.value);
        if (back != 0) {
            (bool ok, bytes memory reason) = Calls.callWithValue(msg.sender, back, "");
            if (!ok) revert RecipientReverted(msg.sender, reason);
        }
        sharing = false;
        assembly ("memory-safe") {
            return(sub(took, 32), shl(5, add(shares.length, 2)))
        }
    }

    /// One fill of `fillMany`, which alone can call this. Its parameters follow the selector: the words of its share, then the
    /// filler.
    function fillShare() external payable {
        // guard: shares-by-router
        if (msg.sender != address(this)) revert NotFiller();
        uint256 terms;
        uint256 payment;
        bytes32 orderId;
        bool good;
        assembly ("memory-safe") {
            terms := calldataload(4)
            payment := calldataload(36)
            orderId := calldataload(68)
            mstore(0, orderId)
            mstore(32, filled.slot)
            let slot := keccak256(0, 64)
            let to := shr(96, payment)
            let late := gt(timestamp(), and(terms, 0xffffffffff))
            if iszero(or(or(sload(slot), late), or(iszero(shl(160, payment)), or(iszero(to), eq(to, address()))))) {
                sstore(slot, 1)
                good := 1
            }
        }
        // Reverts with the reason.
        if (!good) _mark(address(uint160(payment >> 96)), uint96(payment), uint40(terms), orderId);
        if (terms >> 96 == 0) {
            _send(payment >> 96, uint96(payment));
        } else {
            address filler;
            assembly ("memory-safe") {
                filler := calldataload(100)
            }
            _deliver(address(uint160(terms >> 96)), filler, address(uint160(payment >> 96)), uint96(payment));
        }
        bytes32 topic = ShareFilled.selector;
        assembly ("memory-safe") {
            mstore(0, terms)
            mstore(32, payment)
            log2(0, 64, topic, orderId)
        }
    }

    /// Pays an account that makes the order's calls and sends what is left to the recipient; all of that happens or nothing does.
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

    /// The same for calls that exchange what is delivered: whatever contracts they go through, the recipient's own balance must
    /// have grown by at least `wanted` in the end.
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
        // guard: swap-output-measured
        if (delivered < wanted.least) revert BroughtShort(wanted.token, wanted.least, delivered);
        emit SwapDelivered(orderId, wanted.token, delivered);
    }

    /// The same as `fillWithCalls` in a token, with native coin for the calls to spend. The coin is sent along as value, and is
    /// filled under its own id in the same transaction, so that neither is ever filled without the other. What the calls leave of
    /// it also goes to the recipient.
    ///
    /// Parameters as for `fill`; `token` must not be the native coin.
    function fillCallsWithCoin(
        address token,
        address to,
        uint256 amount,
        uint256 deadline,
        bytes32 orderId,
        Call[] calldata calls,
        Coin calldata coin
    ) external payable {
        if (!fillers[msg.sender]) revert NotFiller();
        if (sharing) revert Reentered();
        if (token == address(0)) revert NoToken();
        // guard: coin-paid-exactly
        if (msg.value != coin.amount) revert WrongValue(coin.amount, msg.value);
        _mark(to, amount, deadline, orderId);
        _mark(to, coin.amount, deadline, coin.id);
        _runCalls(token, to, amount, msg.value, orderId, calls);
        emit OrderFilled(coin.id, address(0), to, coin.amount, msg.sender);
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
        uint256 value = _open(token, to, amount, deadline, orderId);
        _runCalls(token, to, amount, value, orderId, calls);
    }

    /// @param value Native coin for the account: the whole fill if that is in native coin, else the coin in addition to a token.
    function _runCalls(
        address token,
        address to,
        uint256 amount,
        uint256 value,
        bytes32 orderId,
        Call[] calldata calls
    ) private {
        if (calls.length == 0) revert NoCalls();
        CallAccount account = _account(orderId, to);
        if (token != address(0)) _deliver(token, msg.sender, address(account), amount);
        account.run{value: value}(token, calls);
        for (uint256 i = 0; i < calls.length; ++i) {
            emit SolverCallExecuted(calls[i].to, calls[i].data, calls[i].value);
        }
        emit OrderFilled(orderId, token, to, amount, msg.sender);
    }

    function _holds(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : Calls.balanceOf(token, who);
    }

    /// Refuses what must not be filled, and marks the order before any external call.
    ///
    /// @return value Native coin to deliver: 0 for a token.
    function _open(address token, address to, uint256 amount, uint256 deadline, bytes32 orderId)
        private
        returns (uint256 value)
    {
        if (!fillers[msg.sender]) revert NotFiller();
        if (sharing) revert Reentered();
        value = token == address(0) ? amount : 0;
        if (msg.value != value) revert WrongValue(value, msg.value);
        _mark(to, amount, deadline, orderId);
    }

    function _mark(address to, uint256 amount, uint256 deadline, bytes32 orderId) private {
        // guard: router-once-per-order
        if (filled[orderId]) revert AlreadyFilled(orderId);
        // guard: router-deadline
        if (block.timestamp > deadline) revert DeadlinePassed(orderId, deadline);
        if (amount == 0) revert ZeroAmount();
        if (to == address(0) || to == address(this)) revert BadRecipient(to);
        filled[orderId] = true;
    }

    function _send(uint256 to, uint256 amount) private {
        bytes32 topic = SolverNativeTransfer.selector;
        bool ok;
        assembly ("memory-safe") {
            ok := call(gas(), to, amount, 0, 0, 0, 0)
            if ok {
                mstore(0, to)
                mstore(32, amount)
                log1(0, 64, topic)
            }
        }
        if (!ok) revert RecipientReverted(address(uint160(to)), Calls.returned(Calls.MAX_REASON));
    }

    function _deliver(address token, address from, address to, uint256 amount) private {
        uint256 delivered = Calls.move(token, from, to, amount);
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

    /// The first contract that this one deployed: its address follows from this contract's address and the nonce 1.
    function _template() private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(this), hex"01")))));
    }
}
