// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Call, CallAccount} from "./CallAccount.sol";
import {Calls} from "./lib/Calls.sol";
import {OrderAccounts} from "./lib/OrderAccounts.sol";

interface IDepository {
    function depositNative(address depositor, bytes32 id) external payable;
    function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external;
    function withdraw(
        address token,
        address to,
        uint256 amount,
        bytes32 key,
        uint256 expiration,
        bytes calldata signature
    ) external;
}

/// What a payer swaps with its own money. Zero address: the native coin.
struct Swap {
    /// The order that it is made for: emitted unverified. Readers must check the other values of the event.
    bytes32 orderId;
    address tokenIn;
    /// All that the payer gives, the fee included, smallest unit.
    uint256 amountIn;
    address tokenOut;
    /// Minimum output, smallest unit.
    uint256 least;
    /// Last block timestamp (seconds) at which it may happen.
    uint256 deadline;
    /// Part of the input that goes to `feeTo`; 0: none.
    uint256 fee;
    address feeTo;
    /// Made in order by an account of this order and this payer alone, which holds the input.
    Call[] calls;
}

/// What the depository refunds, exchanged for another currency on the way. Zero address: the native coin.
struct Refund {
    /// What leaves the depository.
    address token;
    uint256 amount;
    /// Once-only key and last block timestamp (seconds) of the withdrawal.
    bytes32 key;
    uint256 expiration;
    address recipient;
    address tokenOut;
    /// Minimum output, smallest unit.
    uint256 least;
    /// Made in order by the account that the withdrawal goes to.
    Call[] calls;
}

/// Where users swap, send and deposit what they swapped, in one transaction of their own that names an order, and where the
/// solver exchanges what it refunds.
///
/// Invariants
/// - Tokens are taken from `msg.sender` alone, exactly what it names, and only to make what it names.
/// - The recipient's own balance has grown by at least `least` in the end, or the transaction reverts.
/// - The output of one order is never counted for another: no entry point runs within another.
/// - No value and no approval stays here between transactions; what is left of the input goes back to the payer.
/// - It charges nothing and has no owner. Anyone may name any order: an event states who paid what to whom, and proves no more.
contract SwapEntry is OrderAccounts {
    IDepository public immutable depository;
    bool private transient entered;
    bool private transient takesNative;

    /// @param amountIn What the payer gave in the end, the fee included.
    /// @param amountOut What the recipient got, by its own balance.
    event SwapExecuted(
        bytes32 indexed orderId,
        address payer,
        address recipient,
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 amountOut,
        address feeTo,
        uint256 fee
    );
    /// The same for an output that was deposited under the order's id.
    event SwapDeposited(
        bytes32 indexed orderId,
        address payer,
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 amountOut,
        address feeTo,
        uint256 fee
    );
    /// A withdrawal under this key was exchanged.
    ///
    /// @param amountOut What the recipient got, by its own balance.
    event RefundSwapped(bytes32 indexed key, address recipient, address tokenOut, uint256 amountOut);

    error Reentered();
    error DeadlinePassed(bytes32 orderId, uint256 deadline);
    error ZeroAmount();
    error ZeroAddress();
    error NoCalls();
    /// Native coin arrived while no deposit in native coin was in progress.
    error NotWanted();
    error BadRecipient(address to);
    error WrongValue(uint256 expected, uint256 got);
    /// `to` refused native coin; `reason` is its revert data, at most 1024 bytes.
    error RecipientReverted(address to, bytes reason);
    /// A token delivered less than `amount` (a fee on transfer, or a dishonest token).
    error DeliveredShort(address token, uint256 amount, uint256 delivered);
    /// The output was less than `least`.
    error BroughtShort(address token, uint256 least, uint256 brought);

    /// Two orders inside each other could count one delivery twice.
    modifier nonReentrant() {
        // guard: swap-entry-not-nested
        if (entered) revert Reentered();
        entered = true;
        _;
        entered = false;
    }

    constructor(address depository_) {
        if (depository_ == address(0)) revert ZeroAddress();
        depository = IDepository(depository_);
    }

    /// Native coin that calls bring for a deposit.
    receive() external payable {
        if (!takesNative) revert NotWanted();
    }

    /// Swaps within this chain. Without calls the input itself goes to the recipient.
    function swap(Swap calldata order, address recipient) external payable nonReentrant {
        if (recipient == address(0) || recipient == address(this)) revert BadRecipient(recipient);
        uint256 input = _open(order);
        uint256 before = _holds(order.tokenOut, recipient);
        uint256 paid = order.amountIn;
        if (order.calls.length == 0) _give(order.tokenIn, recipient, input);
        else paid -= _run(order, input);
        uint256 brought = _grown(before, _holds(order.tokenOut, recipient));
        if (brought < order.least) revert BroughtShort(order.tokenOut, order.least, brought);
        emit SwapExecuted(
            order.orderId, msg.sender, recipient, order.tokenIn, paid, order.tokenOut, brought, order.feeTo, order.fee
        );
    }

    /// Swaps, with this contract as the recipient of the calls, and deposits the whole output under the order's id, with the payer
    /// as its depositor.
    function swapAndDeposit(Swap calldata order) external payable nonReentrant {
        if (order.calls.length == 0) revert NoCalls();
        uint256 input = _open(order);
        takesNative = order.tokenOut == address(0);
        uint256 paid = order.amountIn - _run(order, input);
        takesNative = false;
        uint256 brought = _holds(order.tokenOut, address(this));
        if (brought < order.least) revert BroughtShort(order.tokenOut, order.least, brought);
        if (order.tokenOut == address(0)) {
            depository.depositNative{value: brought}(msg.sender, order.orderId);
        } else {
            // Exactly what the depository takes, so that nothing of the approval is left.
            Calls.approve(order.tokenOut, address(depository), brought);
            depository.depositErc20(msg.sender, order.tokenOut, brought, order.orderId);
        }
        emit SwapDeposited(
            order.orderId, msg.sender, order.tokenIn, paid, order.tokenOut, brought, order.feeTo, order.fee
        );
    }

    /// Makes a withdrawal from the depository and exchanges it; all of that happens or nothing does.
    ///
    /// The allocator signs the withdrawal for this contract as its submitter, and for an account whose address follows from the
    /// caller, the key, the recipient and `least`: no one else can use that signature, and the caller for nothing else.
    function refund(Refund calldata order, bytes calldata signature) external nonReentrant {
        if (order.recipient == address(0) || order.recipient == address(this)) revert BadRecipient(order.recipient);
        if (order.calls.length == 0) revert NoCalls();
        if (order.least == 0) revert ZeroAmount();
        bytes32 salt = _refundSalt(msg.sender, order.key, order.tokenOut, order.least);
        uint256 before = _holds(order.tokenOut, order.recipient);
        address to = _accountOf(salt, order.recipient);
        depository.withdraw(order.token, to, order.amount, order.key, order.expiration, signature);
        _account(salt, order.recipient).run(order.token, order.calls);
        uint256 brought = _grown(before, _holds(order.tokenOut, order.recipient));
        if (brought < order.least) revert BroughtShort(order.tokenOut, order.least, brought);
        emit RefundSwapped(order.key, order.recipient, order.tokenOut, brought);
    }

    /// Where a withdrawal goes that `submitter` exchanges.
    function refundAccountOf(
        address submitter,
        bytes32 key,
        address recipient,
        address tokenOut,
        uint256 least
    ) external view returns (address) {
        return _accountOf(_refundSalt(submitter, key, tokenOut, least), recipient);
    }

    /// Where the calls of an order come from.
    function accountOf(bytes32 orderId, address payer) external view returns (address) {
        return _accountOf(orderId, payer);
    }

    /// Refuses what must not happen, and pays the fee.
    ///
    /// @return input What is left to swap.
    function _open(Swap calldata order) private returns (uint256 input) {
        if (block.timestamp > order.deadline) revert DeadlinePassed(order.orderId, order.deadline);
        if (order.least == 0 || order.amountIn <= order.fee) revert ZeroAmount();
        uint256 value = order.tokenIn == address(0) ? order.amountIn : 0;
        if (msg.value != value) revert WrongValue(value, msg.value);
        input = order.amountIn - order.fee;
        if (order.fee == 0) return input;
        if (order.feeTo == address(0) || order.feeTo == address(this)) revert BadRecipient(order.feeTo);
        _give(order.tokenIn, order.feeTo, order.fee);
    }

    /// Makes the calls with the input.
    ///
    /// @return left What of the input came back to the payer.
    function _run(Swap calldata order, uint256 input) private returns (uint256 left) {
        CallAccount account = _account(order.orderId, msg.sender);
        bool native = order.tokenIn == address(0);
        if (!native) _give(order.tokenIn, address(account), input);
        uint256 before = _holds(order.tokenIn, msg.sender);
        account.run{value: native ? input : 0}(order.tokenIn, order.calls);
        left = _grown(before, _holds(order.tokenIn, msg.sender));
        if (left > input) left = input;
    }

    /// Forwards native coin that the payer sent along, or moves a token by the payer's allowance.
    function _give(address token, address to, uint256 amount) private {
        if (token == address(0)) {
            (bool ok, bytes memory reason) = Calls.callWithValue(to, amount, "");
            if (!ok) revert RecipientReverted(to, reason);
            return;
        }
        uint256 before = Calls.balanceOf(token, to);
        Calls.transferFrom(token, msg.sender, to, amount);
        uint256 delivered = _grown(before, Calls.balanceOf(token, to));
        if (delivered < amount) revert DeliveredShort(token, amount, delivered);
    }

    /// Never the id of an order, which hashes something else.
    function _refundSalt(
        address submitter,
        bytes32 key,
        address tokenOut,
        uint256 least
    ) private pure returns (bytes32) {
        return keccak256(abi.encode(submitter, key, tokenOut, least));
    }

    function _holds(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : Calls.balanceOf(token, who);
    }

    function _grown(uint256 before, uint256 afterwards) private pure returns (uint256) {
        return afterwards > before ? afterwards - before : 0;
    }
}
