// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Two-step ownership: a mistyped new owner never takes over, and ownership cannot be renounced.
abstract contract Owned {
    address public owner;
    address public pendingOwner;

    event OwnerProposed(address indexed pendingOwner);
    event OwnerChanged(address indexed owner);

    error NotOwner();
    error ZeroAddress();

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    constructor(address initialOwner) {
        if (initialOwner == address(0)) revert ZeroAddress();
        owner = initialOwner;
        emit OwnerChanged(initialOwner);
    }

    function proposeOwner(address next) external onlyOwner {
        pendingOwner = next;
        emit OwnerProposed(next);
    }

    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert NotOwner();
        owner = msg.sender;
        pendingOwner = address(0);
        emit OwnerChanged(msg.sender);
    }
}
