// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Refuses native coin in the way that its `mode` selects. Local chains only.
contract Rejecter {
    enum Mode {
        Error,
        Silent,
        Bomb,
        Accept
    }

    Mode public mode;

    error Rejected(uint256 value);

    function setMode(Mode next) external {
        mode = next;
    }

    receive() external payable {
        if (mode == Mode.Error) revert Rejected(msg.value);
        if (mode == Mode.Silent) revert();
        if (mode == Mode.Bomb) {
            assembly {
                revert(0, 1000000)
            }
        }
    }
}
