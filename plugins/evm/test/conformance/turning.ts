import type { Hex } from '@causeway/core';
import type { TurningRecipient } from '@causeway/core/testing';
import { type Abi, type Address, encodeDeployData, encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { NATIVE } from '../../src/addresses.js';
import type { TestAccount } from '../../src/devnet/index.js';
import { blocklistToken, gasRecipient, rejecter } from '../../src/generated/contracts.js';
import { GAS_MODES } from '../support/gas-recipient.js';
import { testClient } from '../support/wallet.js';
import type { World } from '../support/world.js';

/** Exceeds any trial's limit, but not that of an unbounded transaction. */
const BURNT = 60_000n;
const BURNT_LATER = 500_000n;

export interface Hands {
  submit(
    payer: TestAccount,
    wish: { readonly to?: Address; readonly data: Hex; readonly value: bigint },
  ): Promise<{ id: Hex }>;
  readonly by: TestAccount;
}

/** Contracts, and accounts that become contracts by delegation (EIP-7702). */
export function turningOn({ anvil, deployed }: World, { submit, by }: Hands) {
  const client = testClient(anvil);

  async function contract(made: { readonly abi: Abi; readonly bytecode: Hex }, args: readonly unknown[]): Promise<Hex> {
    const { id: hash } = await submit(by, { data: encodeDeployData({ ...made, args }), value: 0n });
    await anvil.mine();
    const { contractAddress } = await client.getTransactionReceipt({ hash });
    if (contractAddress == null) throw new Error('not deployed');
    return contractAddress.toLowerCase() as Hex;
  }

  /** Has no code until it delegates to that contract. */
  function delegating(how: string, contractAddress: Hex): TurningRecipient {
    const owner = privateKeyToAccount(generatePrivateKey());
    const turn = async (): Promise<void> => {
      const { chainId } = anvil;
      const payer = privateKeyToAccount(by.privateKey);
      const authorization = await owner.signAuthorization({ contractAddress, chainId, nonce: 0 });
      const raw = await payer.signTransaction({
        ...{ type: 'eip7702', chainId, gas: 100_000n, to: payer.address, authorizationList: [authorization] },
        ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 6n },
        nonce: await client.getTransactionCount({ address: payer.address, blockTag: 'pending' }),
      });
      await client.sendRawTransaction({ serializedTransaction: raw });
      await anvil.mine();
      const code = await client.getCode({ address: owner.address });
      if (code?.startsWith('0xef0100') !== true) throw new Error('it has no code');
    };
    return { how, address: owner.address.toLowerCase(), currency: NATIVE, turn };
  }

  const gas = (mode: (typeof GAS_MODES)[number], amount = 0n) =>
    contract(gasRecipient, [GAS_MODES.indexOf(mode), amount]);
  const still = async (how: string, address: Promise<Hex>): Promise<TurningRecipient> => ({
    ...{ how, address: await address, currency: NATIVE },
    turn: () => anvil.mine(),
  });

  const turning = async (): Promise<readonly TurningRecipient[]> => {
    const token = deployed.tokens.BLOCK;
    const { address } = privateKeyToAccount(generatePrivateKey());
    const refuse = encodeFunctionData({ abi: blocklistToken.abi, functionName: 'setBlocked', args: [address, true] });
    const refused: TurningRecipient = {
      ...{ how: 'its token refuses it', address: address.toLowerCase(), currency: token.toLowerCase() },
      turn: async () => {
        await submit(by, { to: token, data: refuse, value: 0n });
        await anvil.mine();
      },
    };
    return [delegating('it gets code that refuses', await contract(rejecter, [])), refused];
  };

  const liars = async (): Promise<readonly TurningRecipient[]> => [
    await still('it burns', gas('Burn', BURNT)),
    await still('it burns more than any trial allows', gas('Burn', 10n ** 9n)),
    await still('it burns where that costs something', gas('BurnIfPriced', BURNT)),
    await still('it refuses where that costs something', gas('RevertIfPriced')),
    await still('it refuses', contract(rejecter, [])),
    await still('it answers with much', gas('Blob', 10n ** 5n)),
    delegating('it burns later', await gas('Burn', BURNT_LATER)),
    delegating('it refuses later', await contract(rejecter, [])),
    delegating('it refuses with much later', await gas('RevertBlob', 10n ** 5n)),
  ];
  return { turning, liars };
}
