// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Outside calls that survive hostile answers: at most MAX_REASON bytes of return data are ever copied, so a callee
/// cannot spend the caller's gas on memory ("return bomb").
library Calls {
    uint256 internal constant MAX_REASON = 1024;

    error TokenTransferFailed(address token, bytes reason);
    error TokenBalanceUnreadable(address token);

    /// Calls with value and all remaining gas. `answer` is the callee's return or revert data, truncated.
    function callWithValue(address to, uint256 value, bytes memory data) internal returns (bool ok, bytes memory answer) {
        assembly ("memory-safe") {
            ok := call(gas(), to, value, add(data, 32), mload(data), 0, 0)
            let size := returndatasize()
            if gt(size, MAX_REASON) { size := MAX_REASON }
            answer := mload(0x40)
            mstore(answer, size)
            returndatacopy(add(answer, 32), 0, size)
            mstore(0x40, and(add(add(answer, size), 63), not(31)))
        }
    }

    /// Return or revert data of the previous call, truncated.
    function returned(uint256 maxBytes) internal pure returns (bytes memory data) {
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, maxBytes) { size := maxBytes }
            data := mload(0x40)
            mstore(data, size)
            returndatacopy(add(data, 32), 0, size)
            mstore(0x40, and(add(add(data, size), 63), not(31)))
        }
    }

    function transfer(address token, address to, uint256 amount) internal {
        _token(token, abi.encodeWithSelector(0xa9059cbb, to, amount));
    }

    function transferFrom(address token, address from, address to, uint256 amount) internal {
        _token(token, abi.encodeWithSelector(0x23b872dd, from, to, amount));
    }

    function approve(address token, address spender, uint256 amount) internal {
        _token(token, abi.encodeWithSelector(0x095ea7b3, spender, amount));
    }

    /// Reverts for an address without code, so that a transfer "by" such an address can never look good.
    function balanceOf(address token, address account) internal view returns (uint256 amount) {
        bool ok;
        (ok, amount) = tryBalanceOf(token, account);
        if (!ok) revert TokenBalanceUnreadable(token);
    }

    /// `ok` is false if `token` returns no balance.
    function tryBalanceOf(address token, address account) internal view returns (bool ok, uint256 amount) {
        bytes memory data = abi.encodeWithSelector(0x70a08231, account);
        assembly ("memory-safe") {
            ok := staticcall(gas(), token, add(data, 32), mload(data), 0, 32)
            ok := and(ok, gt(returndatasize(), 31))
            amount := mload(0)
        }
    }

    /// Moves a token by allowance and returns by how much the balance of `to` grew. The same as `balanceOf`, `transferFrom` and
    /// `balanceOf`, with calldata that is allocated once.
    function move(address token, address from, address to, uint256 amount) internal returns (uint256 came) {
        bool moved;
        bool read;
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, 0x70a08231)
            mstore(add(at, 32), to)
            if and(gt(returndatasize(), 31), staticcall(gas(), token, add(at, 28), 36, 0, 32)) {
                let before := mload(0)
                mstore(add(at, 32), 0x23b872dd)
                mstore(add(at, 64), from)
                mstore(add(at, 96), to)
                mstore(add(at, 128), amount)
                moved := call(gas(), token, 0, add(at, 60), 100, 0, 32)
                if returndatasize() { moved := and(moved, and(gt(returndatasize(), 31), eq(mload(0), 1))) }
                read := 1
                if moved {
                    mstore(add(at, 32), to)
                    read := and(gt(returndatasize(), 31), staticcall(gas(), token, add(at, 28), 36, 0, 32))
                    let afterwards := mload(0)
                    came := mul(gt(afterwards, before), sub(afterwards, before))
                }
            }
        }
        if (!read) revert TokenBalanceUnreadable(token);
        if (!moved) revert TokenTransferFailed(token, returned(MAX_REASON));
    }

    /// No return value counts as success (tokens older than the standard); anything but `true` is a failure.
    function _token(address token, bytes memory data) private {
        (bool ok, bytes memory answer) = callWithValue(token, 0, data);
        if (!ok || (answer.length != 0 && (answer.length < 32 || abi.decode(answer, (uint256)) != 1))) {
            revert TokenTransferFailed(token, answer);
        }
    }
}
