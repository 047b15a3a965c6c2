// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Calls} from "./lib/Calls.sol";

interface ITakesSwept {
    function takeSwept() external payable;
}

/// What a deposit address does, for the clones that are deployed there: it takes native coin, with whatever data, and pays the
/// depository when the factory asks.
contract Forwarder {
    address private immutable factory = msg.sender;
    ITakesSwept private immutable depository;

    error NotFactory();

    constructor(ITakesSwept into) {
        depository = into;
    }

    fallback() external payable {}

    receive() external payable {}

    /// @param token Zero address: the native coin.
    function pay(address token, uint256 amount) external {
        // guard: forwarder-by-factory
        if (msg.sender != factory) revert NotFactory();
        // Reverts in the middle of a deposit or withdrawal, for tokens as well.
        depository.takeSwept{value: token == address(0) ? amount : 0}();
        if (token != address(0)) Calls.transfer(token, address(depository), amount);
    }
}

/// Deposit addresses: each follows from a salt, has no key, and takes payments before anything is deployed there. What arrives
/// can go to the depository and nowhere else; anyone may send it there.
///
/// Invariants
/// - A salt has one address. Nothing but this deploys there, and always the same code.
/// - `swept` is what left an address, by its own balance: an address's balance and `swept` together are what ever arrived there,
///   and do not change by a sweep.
/// - Of the sweeps of `sweep` each happens or not by itself.
/// - No sweep happens in the middle of another, or of a deposit or withdrawal of the depository, whose balances they measure.
contract DepositAddresses {
    /// Gas used between the check of what is left and the call that follows it.
    uint256 private constant CALL_GAS = 3_000;
    /// Gas that a token has to return one balance.
    uint256 private constant READ_GAS = 100_000;
    /// Gas to skip one balance that is not read.
    uint256 private constant SKIP_GAS = 2_000;
    /// Bytes of an error of these contracts that carries the longest reason, `Calls.MAX_REASON`, in whole words.
    uint256 private constant MAX_ERROR_BYTES = 1156;
    uint256 private constant UNREADABLE = type(uint256).max;

    address public immutable depository;
    address private immutable template;
    bytes32 private immutable codeHash;

    /// Smallest unit; zero address: the native coin.
    mapping(address forwarder => mapping(address token => uint256)) public swept;
    bool private transient sweeping;

    /// `amount` left the address, `received` of it arrived in the depository, and `total` is all that ever left. Indexed like the
    /// transfers of tokens, so that one query finds both.
    event Swept(
        address indexed forwarder,
        address indexed depository,
        address token,
        uint256 amount,
        uint256 received,
        uint256 total
    );
    /// A sweep of `sweep` did not happen. `took` is the gas that it used, `reason` the error that `sweepOne` would have reverted
    /// with, at most 1156 bytes; empty where its gas ran out.
    event SweepFailed(address indexed forwarder, address token, uint256 took, bytes reason);

    error Reentered();
    error NotItself();
    error UnequalLists();
    error CloneFailed();
    error NothingToSweep(address forwarder, address token);
    error NothingMoved(address token);
    /// The transaction has less gas left than one of its sweeps may take: its sender gave it too little.
    error TooLittleGas(uint256 index);

    constructor(address into) {
        depository = into;
        template = address(new Forwarder(ITakesSwept(into)));
        codeHash = keccak256(_cloneCode());
    }

    function addressOf(bytes32 salt) public view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, codeHash)))));
    }

    /// Sends all that an address holds of a currency to the depository, and deploys there first if nothing is.
    function sweepOne(bytes32 salt, address token) external {
        // guard: one-sweep-at-a-time
        if (sweeping) revert Reentered();
        sweeping = true;
        _sweep(salt, token);
        sweeping = false;
    }

    /// Several, each in a call of its own: what fails is undone alone.
    ///
    /// @param gasEach Maximum gas of each.
    /// @return took Gas that each used; 0 for those that did not happen.
    function sweep(bytes32[] calldata salts, address[] calldata tokens, uint256 gasEach)
        external
        returns (uint256[] memory took)
    {
        if (sweeping) revert Reentered();
        if (salts.length != tokens.length) revert UnequalLists();
        sweeping = true;
        took = new uint256[](salts.length);
        for (uint256 i = 0; i < salts.length; ++i) {
            bytes memory data = abi.encodeCall(this.sweepShare, (salts[i], tokens[i]));
            uint256 used = gasleft();
            // Otherwise the call would silently get less gas than is asked for here, and fail because of that.
            if (used - used / 64 < gasEach + CALL_GAS) revert TooLittleGas(i);
            bool ok;
            assembly ("memory-safe") {
                ok := call(gasEach, address(), 0, add(data, 32), mload(data), 0, 0)
            }
            used -= gasleft();
            if (ok) took[i] = used;
            else emit SweepFailed(addressOf(salts[i]), tokens[i], used, Calls.returned(MAX_ERROR_BYTES));
        }
        sweeping = false;
    }

    /// One sweep of `sweep`, which alone can call this.
    function sweepShare(bytes32 salt, address token) external {
        if (msg.sender != address(this)) revert NotItself();
        _sweep(salt, token);
    }

    /// What ever arrived at each address of each currency: all addresses for the first token, then for the next. The maximum
    /// number means that the token returns no balance.
    function arrived(address[] calldata forwarders, address[] calldata tokens)
        external
        view
        returns (uint256[] memory amounts)
    {
        amounts = new uint256[](forwarders.length * tokens.length);
        uint256 n = 0;
        for (uint256 t = 0; t < tokens.length; ++t) {
            for (uint256 f = 0; f < forwarders.length; ++f) {
                uint256 balance = _balance(forwarders[f], tokens[t], amounts.length - n);
                uint256 left = balance == UNREADABLE ? 0 : swept[forwarders[f]][tokens[t]];
                amounts[n++] = balance <= UNREADABLE - left ? balance + left : UNREADABLE;
            }
        }
    }

    /// What each address holds of a currency now; the maximum number means the same as in `arrived`.
    function held(address[] calldata forwarders, address token) external view returns (uint256[] memory amounts) {
        amounts = new uint256[](forwarders.length);
        for (uint256 f = 0; f < forwarders.length; ++f) {
            amounts[f] = _balance(forwarders[f], token, amounts.length - f);
        }
    }

    /// Never reverts, whatever the token does.
    ///
    /// @param left Balances still to read, this one included: gas is reserved to skip them.
    function _balance(address forwarder, address token, uint256 left) private view returns (uint256 amount) {
        if (token == address(0)) return forwarder.balance;
        if (gasleft() < 2 * READ_GAS + left * SKIP_GAS) return UNREADABLE;
        bytes memory data = abi.encodeWithSelector(0x70a08231, forwarder);
        bool ok;
        assembly ("memory-safe") {
            ok := staticcall(READ_GAS, token, add(data, 32), mload(data), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            amount := mload(0)
            // The next read may use the same memory.
            mstore(0x40, data)
        }
        if (!ok) return UNREADABLE;
    }

    function _sweep(bytes32 salt, address token) private {
        address forwarder = addressOf(salt);
        bool isNative = token == address(0);
        uint256 balance = isNative ? forwarder.balance : Calls.balanceOf(token, forwarder);
        if (balance == 0) revert NothingToSweep(forwarder, token);
        if (forwarder.code.length == 0) _deploy(salt);
        (uint256 amount, uint256 received) =
            isNative ? _sweepNative(forwarder, balance) : _sweepToken(forwarder, token, balance);
        uint256 total = swept[forwarder][token] + amount;
        swept[forwarder][token] = total;
        emit Swept(forwarder, depository, token, amount, received, total);
    }

    function _sweepNative(address forwarder, uint256 balance) private returns (uint256, uint256) {
        Forwarder(payable(forwarder)).pay(address(0), balance);
        return (balance, balance);
    }

    /// Measured by balances, as tokens may charge a fee on transfer or misreport; never more received than left.
    function _sweepToken(address forwarder, address token, uint256 balance)
        private
        returns (uint256 amount, uint256 received)
    {
        uint256 before = Calls.balanceOf(token, depository);
        Forwarder(payable(forwarder)).pay(token, balance);
        uint256 kept = Calls.balanceOf(token, forwarder);
        uint256 afterwards = Calls.balanceOf(token, depository);
        if (kept >= balance || afterwards <= before) revert NothingMoved(token);
        amount = balance - kept;
        received = afterwards - before;
        // guard: sweep-not-counted-twice
        if (received > amount) received = amount;
    }

    function _deploy(bytes32 salt) private {
        bytes memory code = _cloneCode();
        address made;
        assembly ("memory-safe") {
            made := create2(0, add(code, 32), mload(code), salt)
        }
        if (made == address(0)) revert CloneFailed();
    }

    /// Creation code of a proxy to the template. Without calldata it stops at once: native coin costs its sender some 20 gas more
    /// than at an address without code, within the 2,300 that some contracts give.
    function _cloneCode() private view returns (bytes memory) {
        return abi.encodePacked(
            hex"3d603380600a3d3981f336600557005b363d3d373d3d3d363d73", template, hex"5af43d82803e903d91603157fd5bf3"
        );
    }
}
