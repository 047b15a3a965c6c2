// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

interface IReceiver {
    function onERC721Received(address operator, address from, uint256 id, bytes calldata data) external returns (bytes4);
}

/// What calls of orders need of an ERC-721 collection: sold for native coin or for a token, minted with and without asking the
/// buyer. Local chains only.
contract TestNft {
    uint256 public constant PRICE = 1_000;
    uint256 public next;
    mapping(uint256 id => address) public ownerOf;
    mapping(address owner => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    error WrongPrice();
    error NotOwner();
    error Unsafe();

    function mint() public payable returns (uint256 id) {
        if (msg.value != PRICE) revert WrongPrice();
        id = ++next;
        ownerOf[id] = msg.sender;
        balanceOf[msg.sender] += 1;
        emit Transfer(address(0), msg.sender, id);
    }

    function safeMint() external payable {
        uint256 id = mint();
        bytes4 answer = IReceiver(msg.sender).onERC721Received(msg.sender, address(0), id, "");
        if (answer != IReceiver.onERC721Received.selector) revert Unsafe();
    }

    function transferFrom(address from, address to, uint256 id) external {
        if (msg.sender != from || ownerOf[id] != from) revert NotOwner();
        ownerOf[id] = to;
        balanceOf[from] -= 1;
        balanceOf[to] += 1;
        emit Transfer(from, to, id);
    }
}
