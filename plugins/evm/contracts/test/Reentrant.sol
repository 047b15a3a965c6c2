// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Calls out when it receives native coin and remembers what came back. Local chains only.
contract Reentrant {
    address private target;
    bytes private data;
    uint256 private value;
    bool public attempted;
    bool public succeeded;
    bytes public answer;

    function arm(address target_, bytes calldata data_, uint256 value_) external {
        target = target_;
        data = data_;
        value = value_;
        attempted = false;
        succeeded = false;
    }

    receive() external payable {
        if (target == address(0)) return;
        attempted = true;
        (succeeded, answer) = target.call{value: value}(data);
    }
}
