// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Accepts native coin and uses gas by its `mode`. Some modes distinguish a simulation without a gas price from a transaction.
/// Local chains only.
contract GasRecipient {
    enum Mode {
        /// Counts and emits an event, as a smart wallet does.
        Wallet,
        /// Uses `amount` gas.
        Burn,
        /// Uses `amount` gas where gas has a price, and next to none where it has not.
        BurnIfPriced,
        /// Refuses where gas has a price.
        RevertIfPriced,
        /// Answers with `amount` bytes.
        Blob,
        /// Refuses with `amount` bytes.
        RevertBlob
    }

    Mode private immutable mode;
    uint256 private immutable amount;
    uint256 public count;

    event Received(address from, uint256 value);

    constructor(Mode mode_, uint256 amount_) {
        mode = mode_;
        amount = amount_;
    }

    receive() external payable {
        if (mode == Mode.Wallet) {
            ++count;
            emit Received(msg.sender, msg.value);
        }
        if (mode == Mode.Burn || (mode == Mode.BurnIfPriced && tx.gasprice > 0)) {
            uint256 start = gasleft();
            while (start - gasleft() < amount) {}
        }
        if (mode == Mode.RevertIfPriced) require(tx.gasprice == 0);
        uint256 size = amount;
        if (mode == Mode.Blob) {
            assembly {
                return(0, size)
            }
        }
        if (mode == Mode.RevertBlob) {
            assembly {
                revert(0, size)
            }
        }
    }
}
