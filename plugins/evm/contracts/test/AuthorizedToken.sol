// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {TestToken} from "./TestToken.sol";

/// A test token that also has ERC-3009 authorizations. Local chains only.
contract AuthorizedToken is TestToken {
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    mapping(address account => mapping(bytes32 nonce => bool)) public authorizationState;

    error InvalidAuthorization();

    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 structHash = keccak256(
            abi.encode(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
        );
        address signer = ecrecover(keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), structHash)), v, r, s);
        bool isTime = block.timestamp > validAfter && block.timestamp < validBefore;
        if (msg.sender != to || !isTime || signer == address(0) || signer != from || authorizationState[from][nonce]) {
            revert InvalidAuthorization();
        }
        authorizationState[from][nonce] = true;
        _move(from, to, value);
    }
}
