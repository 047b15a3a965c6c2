// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Makes several calls in one transaction, as smart wallets do. Local chains only.
contract Batcher {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error CallFailed(uint256 index, bytes reason);

    function execute(Call[] calldata calls) external payable {
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool ok, bytes memory reason) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok) revert CallFailed(i, reason);
        }
    }
}
