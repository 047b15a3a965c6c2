// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {TestToken} from "./TestToken.sol";

/// Takes a token that it was approved for and gives its caller as many shares. Local chains only.
contract TestVault is TestToken {
    TestToken public immutable asset;

    constructor(TestToken asset_) TestToken("Vault", "VLT", asset_.decimals()) {
        asset = asset_;
    }

    /// Takes all that its caller holds: the output of an exact input is not known when the call is written.
    function depositAll() external {
        deposit(asset.balanceOf(msg.sender));
    }

    /// The same for a fee in native coin.
    function depositAllPaying() external payable {
        require(msg.value >= 1000, "a deposit pays a fee");
        deposit(asset.balanceOf(msg.sender));
    }

    function deposit(uint256 amount) public {
        require(amount > 0, "nothing to deposit");
        asset.transferFrom(msg.sender, address(this), amount);
        totalSupply += amount;
        balanceOf[msg.sender] += amount;
        emit Transfer(address(0), msg.sender, amount);
    }
}
