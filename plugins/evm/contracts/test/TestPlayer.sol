// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Makes the calls that its caller names, in the middle of a call: reverts, calls other contracts, returns coin, spends an
/// allowance. Local chains only.
contract TestPlayer {
    struct Move {
        address to;
        uint256 value;
        bytes data;
        /// Whether its failure is passed on.
        bool strict;
    }

    error Refused();

    receive() external payable {}

    function play(Move[] calldata moves, bool refuses) external payable {
        for (uint256 i = 0; i < moves.length; ++i) {
            uint256 value = moves[i].value > address(this).balance ? address(this).balance : moves[i].value;
            (bool ok,) = moves[i].to.call{value: value}(moves[i].data);
            if (!ok && moves[i].strict) revert Refused();
        }
        if (refuses) revert Refused();
    }
}
