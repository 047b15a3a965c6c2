// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// The oracles of both kinds of rollups for the price of data. Local chains only.
contract TestRollupOracle {
    uint256 private base;
    uint256 private perByte;
    bool private broken;

    function set(uint256 base_, uint256 perByte_, bool broken_) external {
        (base, perByte, broken) = (base_, perByte_, broken_);
    }

    /// op-stack: wei for so many bytes.
    function getL1FeeUpperBound(uint256 size) external view returns (uint256) {
        require(!broken, "broken");
        return base + perByte * size;
    }

    /// Arbitrum: gas for these bytes; its other results are 0.
    function gasEstimateL1Component(address, bool, bytes calldata data)
        external
        payable
        returns (uint64 gas, uint256 fee, uint256 parentFee)
    {
        require(!broken, "broken");
        return (uint64(base + perByte * data.length), 0, 0);
    }
}
