// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Misbehaves on demand: lies about success, takes too much, moves nothing, or calls out in the middle of a transfer.
/// Local chains only.
contract HostileToken {
    enum Mode {
        Honest,
        ReturnFalse,
        ReturnShort,
        MoveNothing,
        TakeDouble,
        ReturnBomb
    }

    mapping(address account => uint256) public balanceOf;
    Mode public mode;
    address private hookTarget;
    bytes private hookData;

    function mint(address account, uint256 amount) external {
        balanceOf[account] += amount;
    }

    function setMode(Mode next) external {
        mode = next;
    }

    /// Called once, in the middle of the next transfer; its failure is swallowed.
    function setHook(address target, bytes calldata data) external {
        hookTarget = target;
        hookData = data;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        if (mode == Mode.ReturnFalse) return false;
        if (mode == Mode.MoveNothing) return true;
        balanceOf[from] -= mode == Mode.TakeDouble ? amount * 2 : amount;
        balanceOf[to] += amount;
        address target = hookTarget;
        if (target != address(0)) {
            hookTarget = address(0);
            (bool ok,) = target.call(hookData);
            ok;
        }
        if (mode == Mode.ReturnShort) {
            assembly {
                mstore(0, shl(248, 1))
                return(0, 1)
            }
        }
        if (mode == Mode.ReturnBomb) {
            assembly {
                revert(0, 1000000)
            }
        }
        return true;
    }
}
