// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Calls} from "./lib/Calls.sol";

/// A call that an order asks for.
struct Call {
    address to;
    uint256 value;
    bytes data;
}

interface INft {
    function transferFrom(address from, address to, uint256 id) external;
}

interface IMultiToken {
    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata data) external;
    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata data
    ) external;
}

/// Runs the calls of one order, as their `msg.sender`. Each order has an account of its own, a clone of this code at an address
/// that follows from the order's id, so that whatever its calls approve or leave behind concerns no other order.
///
/// Invariants
/// - Only the router that deployed the code can make it call addresses of the caller's choice.
/// - Whatever it holds can go to the order's recipient and nowhere else, except by the order's own calls.
contract CallAccount {
    /// Creation code of a clone ends with its recipient; the proxy before it takes 45 bytes.
    uint256 private constant RECIPIENT_AT = 45;

    address private immutable router = msg.sender;
    bool private transient running;

    error NotRouter();
    /// The account is in the middle of its order's calls.
    error Running();
    /// Call number `index` (from 0) reverted; `reason` is its revert data, at most 1024 bytes.
    error CallFailed(uint256 index, address to, bytes reason);
    /// The recipient refused native coin that was left; `reason` is its revert data, at most 1024 bytes.
    error RecipientReverted(address to, bytes reason);

    receive() external payable {}

    /// Makes the calls in order and sends what is left to the recipient; all of it happens or nothing.
    ///
    /// @param token Delivered in addition to the native coin; zero address: none.
    function run(address token, Call[] calldata calls) external payable {
        // guard: calls-by-router
        if (msg.sender != router) revert NotRouter();
        running = true;
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool ok, bytes memory reason) = Calls.callWithValue(calls[i].to, calls[i].value, calls[i].data);
            // guard: calls-all-or-nothing
            if (!ok) revert CallFailed(i, calls[i].to, reason);
        }
        running = false;
        if (token != address(0)) _sendToken(token);
        for (uint256 i = 0; i < calls.length; ++i) _trySendToken(calls[i].to);
        _sendNative();
    }

    /// Sends what arrived later, or was left, to the recipient. Anyone may call it.
    ///
    /// @param token Zero address: the native coin.
    function sweep(address token) external {
        if (running) revert Running();
        if (token == address(0)) _sendNative();
        else _sendToken(token);
    }

    /// The same for a token with an id, which a collection may have given without asking.
    function sweepNft(address collection, uint256 id) external {
        if (running) revert Running();
        INft(collection).transferFrom(address(this), recipient(), id);
    }

    /// ERC-721: what is minted or sent here goes on to the recipient at once.
    function onERC721Received(address, address, uint256 id, bytes calldata) external returns (bytes4) {
        INft(msg.sender).transferFrom(address(this), recipient(), id);
        return this.onERC721Received.selector;
    }

    /// ERC-1155: the same.
    function onERC1155Received(address, address, uint256 id, uint256 amount, bytes calldata) external returns (bytes4) {
        IMultiToken(msg.sender).safeTransferFrom(address(this), recipient(), id, amount, "");
        return this.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(
        address,
        address,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata
    ) external returns (bytes4) {
        IMultiToken(msg.sender).safeBatchTransferFrom(address(this), recipient(), ids, amounts, "");
        return this.onERC1155BatchReceived.selector;
    }

    /// ERC-165, and receiving ERC-721 and ERC-1155.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x150b7a02 || id == 0x4e2312e0;
    }

    /// Who the order pays.
    function recipient() public view returns (address who) {
        assembly {
            extcodecopy(address(), 0, RECIPIENT_AT, 20)
            who := shr(96, mload(0))
        }
    }

    function _sendToken(address token) private {
        uint256 left = Calls.balanceOf(token, address(this));
        if (left != 0) Calls.transfer(token, recipient(), left);
    }

    /// What a call brought in at the contract that it called, such as a wrapper's own token. What cannot be sent stays, and
    /// can be swept later.
    function _trySendToken(address token) private {
        (bool readable, uint256 left) = Calls.tryBalanceOf(token, address(this));
        if (readable && left != 0) {
            Calls.callWithValue(token, 0, abi.encodeWithSelector(0xa9059cbb, recipient(), left));
        }
    }

    function _sendNative() private {
        uint256 left = address(this).balance;
        if (left == 0) return;
        address to = recipient();
        (bool ok, bytes memory reason) = Calls.callWithValue(to, left, "");
        if (!ok) revert RecipientReverted(to, reason);
    }
}
