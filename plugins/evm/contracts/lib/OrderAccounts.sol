// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {CallAccount} from "../CallAccount.sol";

/// Deploys the accounts that make the calls of orders: clones of the first contract that this one deploys.
///
/// Invariant: an id and an owner have one account, which is deployed once and never again. Nothing but this deploys there.
abstract contract OrderAccounts {
    error CloneFailed();

    constructor() {
        new CallAccount();
    }

    /// @param to Receives all that is left in the account.
    function _accountOf(bytes32 orderId, address to) internal view returns (address) {
        bytes32 code = keccak256(_cloneCode(to));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), orderId, code)))));
    }

    function _account(bytes32 orderId, address to) internal returns (CallAccount account) {
        bytes memory code = _cloneCode(to);
        assembly ("memory-safe") {
            account := create2(0, add(code, 32), mload(code), orderId)
        }
        if (address(account) == address(0)) revert CloneFailed();
    }

    /// Creation code of an ERC-1167 proxy to the account's code, with its owner after it.
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
