// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Code that accounts delegate to (EIP-7702), with the interface and the signed data of Uniswap's Calibur 1.0.0: makes batches
/// that the account signed, with any sender. Local chains only.
contract TestCalibur {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    struct BatchedCall {
        Call[] calls;
        bool revertOnFailure;
    }

    struct SignedBatchedCall {
        BatchedCall batchedCall;
        uint256 nonce;
        bytes32 keyHash;
        address executor;
        uint256 deadline;
    }

    error InvalidNonce();
    error InvalidSignature();
    error CallFailed(bytes reason);

    bytes32 private constant CALL = keccak256("Call(address to,uint256 value,bytes data)");
    bytes32 private constant BATCH =
        keccak256("BatchedCall(Call[] calls,bool revertOnFailure)Call(address to,uint256 value,bytes data)");
    bytes32 private constant SIGNED = keccak256(
        "SignedBatchedCall(BatchedCall batchedCall,uint256 nonce,bytes32 keyHash,address executor,uint256 deadline)BatchedCall(Call[] calls,bool revertOnFailure)Call(address to,uint256 value,bytes data)"
    );
    bytes32 private constant DOMAIN = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)"
    );

    /// Where accounts expect this code.
    address private immutable implementation;
    mapping(uint256 key => uint64 next) private sequences;

    constructor(address implementation_) {
        implementation = implementation_;
    }

    function execute(SignedBatchedCall calldata signed, bytes calldata wrapped) external payable {
        (bytes memory signature,) = abi.decode(wrapped, (bytes, bytes));
        if (recovered(digestOf(signed), signature) != address(this)) revert InvalidSignature();
        if (uint64(signed.nonce) != sequences[signed.nonce >> 64]++) revert InvalidNonce();
        Call[] calldata calls = signed.batchedCall.calls;
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool ok, bytes memory reason) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok && signed.batchedCall.revertOnFailure) revert CallFailed(reason);
        }
    }

    function getSeq(uint256 key) external view returns (uint256) {
        return sequences[key];
    }

    function digestOf(SignedBatchedCall calldata signed) private view returns (bytes32) {
        Call[] calldata calls = signed.batchedCall.calls;
        bytes32[] memory hashes = new bytes32[](calls.length);
        for (uint256 i = 0; i < calls.length; ++i) {
            hashes[i] = keccak256(abi.encode(CALL, calls[i].to, calls[i].value, keccak256(calls[i].data)));
        }
        bytes32 batch =
            keccak256(abi.encode(BATCH, keccak256(abi.encodePacked(hashes)), signed.batchedCall.revertOnFailure));
        bytes32 whole = keccak256(
            abi.encode(SIGNED, batch, signed.nonce, signed.keyHash, signed.executor, signed.deadline)
        );
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN,
                keccak256("Calibur"),
                keccak256("1.0.0"),
                block.chainid,
                address(this),
                bytes32(uint256(uint160(implementation)))
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, whole));
    }

    function recovered(bytes32 digest, bytes memory signature) private pure returns (address) {
        if (signature.length != 65) return address(0);
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        return ecrecover(digest, v, r, s);
    }
}
