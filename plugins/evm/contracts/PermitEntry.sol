// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Calls} from "./lib/Calls.sol";

interface IPermitDepository {
    function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external;
}

interface IAuthorizedToken {
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
    ) external;
}

interface IPermitToken {
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
}

interface IPermit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitBatchTransferFrom {
        TokenPermissions[] permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    function permitWitnessTransferFrom(
        PermitBatchTransferFrom calldata permit,
        SignatureTransferDetails[] calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}

/// What a payer signed. It is deposited as a whole.
struct Permitted {
    address payer;
    address token;
    /// Smallest unit.
    uint256 amount;
    bytes32 orderId;
    /// Last block timestamp (seconds) at which it may happen.
    uint256 deadline;
}

/// Spends the allowance of one permit in its constructor, and leaves no code behind.
///
/// Its address follows from token, payer, amount, deadline and order, so an allowance for it is for that deposit alone.
contract PermitSpender {
    constructor(address token, address payer, uint256 amount) {
        Calls.transferFrom(token, payer, msg.sender, amount);
        assembly {
            return(0, 0)
        }
    }
}

/// Deposits a payer's tokens under the order that its signature names, with any sender of the transaction.
///
/// Invariants
/// - A signature allows one deposit, of its amount, by its payer, under its order: any sender of it makes the same
///   deposit. It can pay no other recipient and no other order.
/// - Nothing happens after the deadline, even if another sender used a token's own permit before.
/// - It charges nothing, and has no owner.
contract PermitEntry {
    bytes32 private constant WITNESS_TYPEHASH = keccak256(
        "RelayerWitness(address relayer,address refundTo,address nftRecipient,bytes metadata,Call3Value[] call3Values)Call3Value(address target,bool allowFailure,uint256 value,bytes callData)"
    );
    string private constant WITNESS_TYPE =
        "RelayerWitness witness)Call3Value(address target,bool allowFailure,uint256 value,bytes callData)RelayerWitness(address relayer,address refundTo,address nftRecipient,bytes metadata,Call3Value[] call3Values)TokenPermissions(address token,uint256 amount)";

    IPermitDepository public immutable depository;
    /// Zero address: none.
    IPermit2 public immutable permit2;
    bool private transient entered;

    error Reentered();
    error ZeroAddress();
    error DeadlinePassed(bytes32 orderId, uint256 deadline);
    /// Less arrived than was signed for.
    error DeliveredShort(address token, uint256 amount, uint256 delivered);

    modifier nonReentrant() {
        if (entered) revert Reentered();
        entered = true;
        _;
        entered = false;
    }

    constructor(address depository_, address permit2_) {
        if (depository_ == address(0)) revert ZeroAddress();
        depository = IPermitDepository(depository_);
        permit2 = IPermit2(permit2_);
    }

    /// ERC-3009. The authorization names this contract as recipient and the order as nonce, so only this contract can use it.
    function depositWithAuthorization(Permitted calldata order, uint8 v, bytes32 r, bytes32 s) external nonReentrant {
        uint256 before = _open(order);
        IAuthorizedToken(order.token).receiveWithAuthorization(
            order.payer, address(this), order.amount, 0, order.deadline + 1, order.orderId, v, r, s
        );
        _deposit(order, before);
    }

    /// ERC-2612. The permit names `spenderOf` as spender. One that was used before is no failure: its allowance still applies.
    function depositWithPermit(Permitted calldata order, uint8 v, bytes32 r, bytes32 s) external nonReentrant {
        uint256 before = _open(order);
        try IPermitToken(order.token).permit(order.payer, spenderOf(order), order.amount, order.deadline, v, r, s) {}
            catch {}
        new PermitSpender{salt: _salt(order)}(order.token, order.payer, order.amount);
        _deposit(order, before);
    }

    /// Permit2. The witness names this contract, the payer, and the order as its metadata. Permit2 accepts signatures of contracts
    /// (ERC-1271).
    function depositWithPermit2(Permitted calldata order, bytes calldata signature) external nonReentrant {
        uint256 before = _open(order);
        IPermit2.TokenPermissions[] memory permitted = new IPermit2.TokenPermissions[](1);
        permitted[0] = IPermit2.TokenPermissions(order.token, order.amount);
        IPermit2.SignatureTransferDetails[] memory details = new IPermit2.SignatureTransferDetails[](1);
        details[0] = IPermit2.SignatureTransferDetails(address(this), order.amount);
        permit2.permitWitnessTransferFrom(
            IPermit2.PermitBatchTransferFrom(permitted, uint256(order.orderId), order.deadline),
            details,
            order.payer,
            _witness(order),
            WITNESS_TYPE,
            signature
        );
        _deposit(order, before);
    }

    /// Who spends what an ERC-2612 permit for this deposit allows.
    function spenderOf(Permitted calldata order) public view returns (address) {
        bytes32 code = keccak256(
            abi.encodePacked(type(PermitSpender).creationCode, abi.encode(order.token, order.payer, order.amount))
        );
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), _salt(order), code)))));
    }

    function _salt(Permitted calldata order) private pure returns (bytes32) {
        return keccak256(abi.encode(order.orderId, order.deadline));
    }

    function _witness(Permitted calldata order) private view returns (bytes32) {
        return keccak256(
            abi.encode(
                WITNESS_TYPEHASH,
                address(this),
                order.payer,
                order.payer,
                keccak256(abi.encodePacked(order.orderId)),
                keccak256("")
            )
        );
    }

    function _open(Permitted calldata order) private view returns (uint256 before) {
        // guard: permit-entry-deadline
        if (block.timestamp > order.deadline) revert DeadlinePassed(order.orderId, order.deadline);
        return Calls.balanceOf(order.token, address(this));
    }

    function _deposit(Permitted calldata order, uint256 before) private {
        uint256 held = Calls.balanceOf(order.token, address(this));
        uint256 came = held > before ? held - before : 0;
        if (came < order.amount) revert DeliveredShort(order.token, order.amount, came);
        // Exactly what the depository takes, so that nothing of the approval is left.
        Calls.approve(order.token, address(depository), order.amount);
        depository.depositErc20(order.payer, order.token, order.amount, order.orderId);
    }
}
