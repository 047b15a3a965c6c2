// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Calls} from "../lib/Calls.sol";

/// A contract wallet of one key (ERC-1271), and code that a key's own account may delegate to (EIP-7702). Local chains only.
contract TestWallet {
    /// Zero: the account's own key.
    address public immutable key;

    constructor(address key_) {
        key = key_;
    }

    function execute(address to, bytes calldata data) external {
        address owner = key == address(0) ? address(this) : key;
        require(msg.sender == owner, "not the owner");
        (bool ok,) = Calls.callWithValue(to, 0, data);
        require(ok, "the call failed");
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address owner = key == address(0) ? address(this) : key;
        address signer =
            ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return signer != address(0) && signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
