// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Reverts in every way that a contract can. Local chains only.
contract RevertsEveryWay {
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error Unheard();
    error UnheardOf(uint256 number, string text);
    error Listed(uint256 since);

    RevertsEveryWay private immutable self = this;
    uint256[] private list;

    function withText(string calldata text) external pure {
        revert(text);
    }

    function panics(uint256 code) external {
        uint256 zero = list.length;
        if (code == 0x01) assert(zero == 1);
        else if (code == 0x11) zero - 1;
        else if (code == 0x12) 1 / zero;
        else if (code == 0x31) list.pop();
        else if (code == 0x32) list[zero];
        else if (code == 0x41) list = new uint256[](type(uint256).max);
    }

    function withKnown() external view {
        revert ERC20InsufficientBalance(address(this), 1, 2);
    }

    function withUnknown() external pure {
        revert Unheard();
    }

    function withUnknownArguments() external pure {
        revert UnheardOf(7, "seven");
    }

    function withListed() external pure {
        revert Listed(5);
    }

    function withNothing() external pure {
        revert();
    }

    /// `depth` calls within each other, the last of which makes `data`.
    function nested(uint256 depth, bytes calldata data) external {
        if (depth > 1) return self.nested(depth - 1, data);
        pass(data);
    }

    /// Catches the failure of `data` and goes on, then fails for a reason of its own.
    function catches(bytes calldata data) external {
        (bool ok,) = address(this).call(data);
        if (!ok) revert("something else");
    }

    /// Catches the failure of `data`, and makes a call that succeeds before it reverts without data.
    function forgives(bytes calldata data) external {
        (bool ok,) = address(this).call(data);
        this.works();
        if (!ok) revert();
    }

    /// Catches the failure of `data` and throws it again.
    function rethrows(bytes calldata data) external {
        try this.nested(1, data) {}
        catch (bytes memory thrown) {
            assembly {
                revert(add(thrown, 32), mload(thrown))
            }
        }
    }

    function works() external {}

    function runsOut(uint256 given) external view {
        this.spins{gas: given}();
    }

    function spins() external view {
        uint256 n = 0;
        while (gasleft() > 0) n = uint256(keccak256(abi.encode(n)));
    }

    function callsWithoutCode(RevertsEveryWay target) external {
        target.works();
    }

    function sendsTooMuch(address payable to) external {
        (bool ok,) = to.call{value: 1}("");
        require(ok);
    }

    function stops() external pure {
        assembly {
            invalid()
        }
    }

    function pass(bytes calldata data) private {
        (bool ok, bytes memory thrown) = address(this).call(data);
        if (!ok) {
            assembly {
                revert(add(thrown, 32), mload(thrown))
            }
        }
    }
}
