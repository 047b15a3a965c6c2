// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {TestToken} from "./TestToken.sol";

/// Refuses transfers from and to listed accounts; anyone may list. Local chains only.
contract BlocklistToken is TestToken {
    mapping(address account => bool) public blocked;

    error Blocked(address account);

    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function setBlocked(address account, bool value) external {
        blocked[account] = value;
    }

    function _move(address from, address to, uint256 amount) internal override {
        if (blocked[from]) revert Blocked(from);
        if (blocked[to]) revert Blocked(to);
        super._move(from, to, amount);
    }
}
