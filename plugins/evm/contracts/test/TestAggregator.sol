// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Price feed or uptime feed whose rounds anyone may set. Local chains only.
contract TestAggregator {
    string public description;
    uint8 public immutable decimals;
    uint80 private _round;
    int256 private _answer;
    uint256 private _startedAt;
    uint256 private _updatedAt;

    constructor(string memory description_, uint8 decimals_) {
        description = description_;
        decimals = decimals_;
    }

    /// A round of now.
    function answer(int256 answer_) external {
        report(answer_, block.timestamp, block.timestamp);
    }

    function report(int256 answer_, uint256 startedAt, uint256 updatedAt) public {
        ++_round;
        (_answer, _startedAt, _updatedAt) = (answer_, startedAt, updatedAt);
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer_, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        require(_round > 0, "no round");
        return (_round, _answer, _startedAt, _updatedAt, _round);
    }
}
