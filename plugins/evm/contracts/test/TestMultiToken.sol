// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

interface IMultiReceiver {
    function onERC1155Received(address operator, address from, uint256 id, uint256 amount, bytes calldata data)
        external
        returns (bytes4);
    function onERC1155BatchReceived(
        address operator,
        address from,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata data
    ) external returns (bytes4);
    function supportsInterface(bytes4 id) external view returns (bool);
}

/// What calls of orders need of an ERC-1155 collection, which asks its receivers. Local chains only.
contract TestMultiToken {
    mapping(address owner => mapping(uint256 id => uint256)) public balances;

    error Unsafe();
    error NotOwner();

    function mint(uint256 id, uint256 amount) external {
        balances[msg.sender][id] += amount;
        _ask(msg.sender, address(0), id, amount);
    }

    function mintBatch(uint256[] calldata ids, uint256[] calldata amounts) external {
        for (uint256 i = 0; i < ids.length; ++i) balances[msg.sender][ids[i]] += amounts[i];
        _askBatch(msg.sender, address(0), ids, amounts);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata) external {
        if (msg.sender != from) revert NotOwner();
        balances[from][id] -= amount;
        balances[to][id] += amount;
        _ask(to, from, id, amount);
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata amounts,
        bytes calldata
    ) external {
        if (msg.sender != from) revert NotOwner();
        for (uint256 i = 0; i < ids.length; ++i) {
            balances[from][ids[i]] -= amounts[i];
            balances[to][ids[i]] += amounts[i];
        }
        _askBatch(to, from, ids, amounts);
    }

    function _ask(address to, address from, uint256 id, uint256 amount) private {
        if (to.code.length == 0) return;
        if (!IMultiReceiver(to).supportsInterface(0x4e2312e0)) revert Unsafe();
        bytes4 answer = IMultiReceiver(to).onERC1155Received(msg.sender, from, id, amount, "");
        if (answer != IMultiReceiver.onERC1155Received.selector) revert Unsafe();
    }

    function _askBatch(address to, address from, uint256[] calldata ids, uint256[] calldata amounts) private {
        if (to.code.length == 0) return;
        bytes4 answer = IMultiReceiver(to).onERC1155BatchReceived(msg.sender, from, ids, amounts, "");
        if (answer != IMultiReceiver.onERC1155BatchReceived.selector) revert Unsafe();
    }
}
