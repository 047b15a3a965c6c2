// The toncenter v2 API over a local chain: the methods that TON clients use, with their names and errors.

import { createHash } from 'node:crypto';
import { Address, Cell, external } from '@ton/core';
import { GetMethodError } from '@ton/sandbox';
import { NotAccepted } from './chain.mjs';
import { byAccount, hasMessage } from './history.mjs';
import {
  addressInformation,
  blockId,
  HALVES,
  header,
  isIn,
  SHARD,
  shortId,
  stack,
  transaction,
  tuple,
  zeroId,
} from './shapes.mjs';

const MAX_PAGE_SIZE = 100;
/** Default and maximum number of transactions of a block in one answer. */
const [LISTED, MAX_LISTED] = [40, 256];
/** Blocks searched for the transaction that a message started (from the message's block on), and for its sender. */
const SEARCHED = { result: 3, source: 1 };
const SEARCHED_BACK = 10;
const NO_METHOD = 11;
const NO_CODE = -13;
const NO_GAS_USED = 0;

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const liteServer = (message) => new ApiError(500, `LITE_SERVER_UNKNOWN: ${message}`);

/**
 * @param {import('./chain.mjs').LocalChain} chain
 * @param {{ lag: number, apart: number }} wrong missing newest blocks, and the height from which blocks have other
 * names, as on a fork
 * @param {() => Promise<void>} onTaken
 */
export function provider(chain, { lag, apart }, onTaken) {
  const named = (block, workchain, shard = SHARD) =>
    blockId(block.height < apart ? block : block.renamed(), workchain, shard);
  const shardsOf = ({ height }) => (chain.isSplit(height) ? HALVES : [SHARD]);
  /** As int64 text. @throws where the block has no such shard */
  const shardOf = (block, workchain, shard) => {
    const text = BigInt.asIntN(64, BigInt(shard)).toString();
    const known = Number(workchain) === -1 ? [SHARD] : shardsOf(block);
    if (!known.includes(text)) throw liteServer(`cannot find block (${workchain},${shard},${block.height})`);
    return text;
  };
  const top = () => chain.blocks[Math.max(0, chain.head.height - lag)] ?? chain.head;
  const at = (seqno) => {
    const height = seqno === undefined ? top().height : Number(seqno);
    const block = height <= top().height ? chain.blocks[height] : undefined;
    if (block === undefined)
      throw liteServer(`cannot load block (-1,8000000000000000,${height}): block is not applied`);
    return block;
  };
  /** @returns {import('./chain.mjs').Included[]} */
  const pages = ({ address, lt, hash, to_lt = 0, limit = 10 }) => {
    const from = lt === undefined ? undefined : BigInt(lt);
    const account = addressOf(address).toRawString();
    const all = chain.history.page(account, top().height, from, Math.min(MAX_PAGE_SIZE, Number(limit)));
    const [first] = all;
    if (lt !== undefined && (first === undefined || (hash !== undefined && !isHash(hash, first.hash))))
      throw liteServer(
        `cannot compute block with specified transaction: cannot find block (0,8000000000000000) lt=${lt}`,
      );
    const wanted = all.filter((one) => one.lt > BigInt(to_lt));
    const kept = wanted.filter((one) => one.height >= chain.prunedBelow);
    // As after a lite server's pruning: the first transaction must be there, missing later ones are left out.
    if (wanted.length > 0 && kept.length === 0)
      throw liteServer(`cannot compute block with specified transaction: lt not in db (lt=${wanted[0]?.lt})`);
    return kept;
  };
  const located = (which, { source, destination, created_lt }) => {
    const [from, to] = [addressOf(source).toRawString(), addressOf(destination).toRawString()];
    const message = { source: from, destination: to, createdLt: BigInt(created_lt) };
    const account = which === 'result' ? to : from;
    // By the masterchain's block: messages of a block's last transaction are numbered past the end of its own.
    const first = chain.blockByLt(-1, message.createdLt, top().height)?.height ?? Number.POSITIVE_INFINITY;
    for (let height = first; height < first + SEARCHED[which] && height <= top().height; height += 1) {
      const listed = chain.blocks[height].transactions.slice(0, LISTED).filter((one) => one.account === account);
      const count = Math.max(listed.length, SEARCHED_BACK);
      const past = chain.history.page(account, top().height, listed.at(-1)?.lt, listed.length === 0 ? 0 : count);
      const found = past.find((one) => hasMessage(one, which, message));
      if (found !== undefined && found.height >= chain.prunedBelow) return transaction(found);
    }
    throw new ApiError(404, `message not found@[${source} ${destination} ${created_lt}]`);
  };
  const take = async ({ boc }) => {
    const cell = cellFrom(boc);
    try {
      await chain.take(cell);
    } catch (error) {
      if (error instanceof NotAccepted)
        throw liteServer(
          `cannot apply external message to current state : External message was not accepted\nCannot run message on account: ${error.message}`,
        );
      if (error instanceof ApiError) throw error;
      throw liteServer(
        `cannot apply external message to current state : ${error instanceof Error ? error.message : error}`,
      );
    }
    await onTaken();
    return cell;
  };

  const methods = {
    getMasterchainInfo: () => ({
      '@type': 'blocks.masterchainInfo',
      last: named(top(), -1),
      state_root_hash: createHash('sha256').update(top().id).digest('base64'),
      init: zeroId(chain.zeroState),
    }),
    getBlockHeader: ({ workchain, shard, seqno }) => {
      const block = at(seqno);
      const own = shardOf(block, workchain, shard);
      const before = at(Math.max(0, Number(seqno) - 1));
      const all = Number(workchain) === -1 ? [SHARD] : shardsOf(before);
      // A shard that is split has one parent, one of a merge has two.
      const parents = all.includes(own) ? [own] : all;
      return {
        ...header(block, Number(workchain), before.height),
        id: named(block, Number(workchain), own),
        prev_blocks: block.height > 0 ? parents.map((one) => named(before, Number(workchain), one)) : [],
      };
    },
    lookupBlock: ({ workchain, shard, seqno, lt }) => {
      const block = seqno !== undefined ? at(seqno) : chain.blockByLt(Number(workchain), BigInt(lt ?? 0), top().height);
      if (block === undefined) throw new ApiError(500, 'LITE_SERVER_NOTREADY: block is not found');
      return named(block, Number(workchain), shardOf(block, workchain, shard));
    },
    shards: ({ seqno }) => {
      const block = at(seqno);
      return { '@type': 'blocks.shards', shards: shardsOf(block).map((shard) => named(block, 0, shard)) };
    },
    getBlockTransactions: ({ workchain, shard, seqno, count = LISTED, after_lt, after_hash }) => {
      const block = at(seqno);
      const own = shardOf(block, workchain, shard);
      if (block.height < chain.prunedBelow) throw liteServer('block is not in db');
      const after = after_hash && { account: accountIn(after_hash), lt: BigInt(after_lt ?? 0) };
      const listed = Number(workchain) === 0 ? block.transactions.filter(({ account }) => isIn(own, account)) : [];
      const all = after ? listed.filter((one) => byAccount(one, after) > 0) : listed;
      const most = Math.min(MAX_LISTED, Number(count));
      return {
        ...{ '@type': 'blocks.transactions', id: blockId(block, Number(workchain), own), req_count: Number(count) },
        ...{ incomplete: all.length > most, transactions: all.slice(0, most).map(shortId) },
      };
    },
    getAddressInformation: ({ address, seqno }) => {
      const block = at(seqno);
      const reported = addressInformation(chain.account(addressOf(address), block.height), block);
      return { ...reported, block_id: named(block, -1) };
    },
    getAddressBalance: ({ address }) => methods.getAddressInformation({ address }).balance,
    getAddressState: ({ address }) => methods.getAddressInformation({ address }).state,
    getTransactions: (params) => pages(params).map(transaction),
    tryLocateTx: (params) => methods.tryLocateResultTx(params),
    tryLocateResultTx: (params) => located('result', params),
    tryLocateSourceTx: (params) => located('source', params),
    runGetMethod: async ({ address, method, stack: given, seqno }) => {
      const block = at(seqno);
      const where = addressOf(address);
      const base = { '@type': 'smc.runResult', block_id: blockId(block, -1) };
      if (chain.account(where, block.height).account?.storage.state.type !== 'active')
        return { ...base, gas_used: NO_GAS_USED, stack: [], exit_code: NO_CODE };
      try {
        const { stack: reported, gasUsed, exitCode } = await chain.getMethod(where, block.height, method, tuple(given));
        // Exit codes 0 and 1 both mean success.
        return { ...base, gas_used: Number(gasUsed), stack: stack(reported), exit_code: exitCode === 1 ? 0 : exitCode };
      } catch (error) {
        if (!(error instanceof GetMethodError)) throw error;
        return { ...base, gas_used: Number(error.gasUsed), stack: [], exit_code: error.exitCode ?? NO_METHOD };
      }
    },
    estimateFee: async ({ address, body, init_code: code, init_data: data, ignore_chksig: ignoring = true }) => {
      const init = code && data ? { init: { code: cellFrom(code), data: cellFrom(data) } } : {};
      const message = external({ to: addressOf(address), body: cellFrom(body), ...init });
      const fees = await chain.estimate(message, ignoring === true || ignoring === 'true').catch((error) => {
        throw liteServer(error instanceof Error ? error.message : 'it cannot be carried out');
      });
      return {
        '@type': 'query.fees',
        source_fees: {
          ...{ '@type': 'fees', in_fwd_fee: Number(fees.import), storage_fee: Number(fees.storage) },
          ...{ gas_fee: Number(fees.gas), fwd_fee: Number(fees.forward) },
        },
        destination_fees: [],
      };
    },
    sendBoc: async (params) => {
      await take(params);
      return { '@type': 'ok' };
    },
    sendBocReturnHash: async (params) => {
      const hash = (await take(params)).hash().toString('base64');
      return { '@type': 'raw.extMessageInfo', hash, hash_norm: hash };
    },
  };
  return methods;
}

/** The parameter is named after a hash, and is the account. */
function accountIn(base64) {
  return `0:${Buffer.from(String(base64), 'base64').toString('hex')}`;
}

/** @returns {Address} */
function addressOf(text) {
  try {
    return Address.parse(String(text));
  } catch {
    throw new ApiError(422, `Incorrect address: ${String(text).slice(0, 100)}`);
  }
}

function cellFrom(boc) {
  try {
    return Cell.fromBase64(String(boc));
  } catch {
    throw liteServer(
      'cannot apply external message to current state : failed to parse external message: not a valid BoC',
    );
  }
}

function isHash(text, hash) {
  return [hash.toString('hex'), hash.toString('base64')].includes(String(text));
}
