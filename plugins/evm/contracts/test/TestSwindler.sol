// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {TestToken} from "./TestToken.sol";

/// Exchanges as its caller's data state, out of what it holds, or cheats in the way of its `mode`. Anyone may write such data.
/// Local chains only.
contract TestSwindler {
    enum Mode {
        /// Gives what its call states.
        Honest,
        /// One unit less.
        Short,
        /// Takes and gives nothing.
        Nothing,
        /// Gives it to `other`.
        Elsewhere,
        Refuses,
        /// Gives only where gas has no price.
        IfUnpriced,
        /// Gives only up to block `when`.
        Until,
        /// Gives only if `other` did not sign the transaction.
        UnlessSignedBy,
        /// Gives only if it has more than `when` gas.
        IfRich,
        /// Takes all that it is allowed to.
        TakesAll,
        /// Uses up its gas.
        Burns,
        /// Refuses with `when` bytes.
        Bomb
    }

    struct Swap {
        TestToken input;
        uint256 amountIn;
        TestToken output;
        uint256 amountOut;
        address to;
        Mode mode;
        uint256 when;
        address other;
    }

    function swap(Swap calldata it) external {
        Mode mode = it.mode;
        if (mode == Mode.Refuses) revert("no");
        if (mode == Mode.Burns) while (true) {}
        if (mode == Mode.Bomb) {
            uint256 size = it.when;
            assembly {
                revert(0, size)
            }
        }
        uint256 taken = mode == Mode.TakesAll ? it.input.allowance(msg.sender, address(this)) : it.amountIn;
        it.input.transferFrom(msg.sender, address(this), taken);
        bool gives = mode != Mode.Nothing;
        if (mode == Mode.IfUnpriced) gives = tx.gasprice == 0;
        if (mode == Mode.Until) gives = block.number <= it.when;
        if (mode == Mode.UnlessSignedBy) gives = tx.origin != it.other;
        if (mode == Mode.IfRich) gives = gasleft() > it.when;
        uint256 amount = mode == Mode.Short ? it.amountOut - 1 : it.amountOut;
        if (gives) it.output.transfer(mode == Mode.Elsewhere ? it.other : it.to, amount);
    }

    /// Spends an allowance that an account left behind.
    function comesBack(TestToken token, address from) external {
        token.transferFrom(from, address(this), token.allowance(from, address(this)));
    }
}
