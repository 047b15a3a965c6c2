// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {TestToken} from "./TestToken.sol";

/// Charges a fee of 1 % on every transfer. Local chains only.
contract FeeToken is TestToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        uint256 fee = amount / 100;
        balanceOf[to] -= fee;
        totalSupply -= fee;
        emit Transfer(to, address(0), fee);
    }
}
