import { Address, beginCell, Cell, storeMessage } from '@ton/core';
import { read } from './history.mjs';

export const SHARD = '-9223372036854775808';
/** Of a basechain that is split, by the first bit of an account. */
export const HALVES = Object.freeze(['4611686018427387904', '-4611686018427387904']);

/** @param {string} shard @param {string} account raw */
export function isIn(shard, account) {
  const half = Number.parseInt(account[2] ?? '0', 16) >= 8 ? 1 : 0;
  return shard === SHARD || shard === HALVES[half];
}

/** @typedef {import('./history.mjs').Block} Block @typedef {import('./history.mjs').Included} Included */

/** @param {Block} block @param {number} workchain @param {string} shard */
export function blockId(block, workchain, shard = SHARD) {
  const [root, file] = workchain === -1 ? [block.id, block.fileId] : [block.shardId, block.shardFileId];
  return {
    ...{ '@type': 'ton.blockIdExt', workchain, shard, seqno: block.height },
    ...{ root_hash: root.toString('base64'), file_hash: file.toString('base64') },
  };
}

/** @param {Buffer} zeroState */
export function zeroId(zeroState) {
  const hash = zeroState.toString('base64');
  return { '@type': 'ton.blockIdExt', workchain: -1, shard: '0', seqno: 0, root_hash: hash, file_hash: hash };
}

/** @param {Block} block @param {number} workchain @param {number} before height of the parent */
export function header(block, workchain, before) {
  const endLt = workchain === -1 ? block.endLt : block.shardEndLt;
  return {
    ...{ '@type': 'blocks.header', id: blockId(block, workchain), global_id: -239, version: 0, flags: 0 },
    ...{ after_merge: false, after_split: false, before_split: false, want_merge: false, want_split: false },
    ...{ validator_list_hash_short: 0, catchain_seqno: 0, min_ref_mc_seqno: before, is_key_block: false },
    ...{ prev_key_block_seqno: 0, start_lt: block.startLt.toString(), end_lt: endLt.toString() },
    ...{ gen_utime: block.utime, vert_seqno: 0, prev_blocks: [] },
  };
}

/** @param {import('@ton/core').ShardAccount} shard @param {Block} block */
export function addressInformation({ account, lastTransactionLt, lastTransactionHash }, block) {
  const { state, balance } = account?.storage ?? { state: { type: 'uninit' }, balance: { coins: 0n } };
  const boc = (cell) => (cell ? cell.toBoc().toString('base64') : '');
  const active = state.type === 'active' ? state.state : undefined;
  return {
    '@type': 'raw.fullAccountState',
    balance: balance.coins.toString(),
    extra_currencies: [],
    ...{ code: boc(active?.code), data: boc(active?.data) },
    last_transaction_id: transactionId(lastTransactionLt, hashOf(lastTransactionHash)),
    block_id: blockId(block, -1),
    frozen_hash: '',
    sync_utime: block.utime,
    state: state.type === 'active' ? 'active' : state.type === 'frozen' ? 'frozen' : 'uninitialized',
  };
}

/** @param {Included} one */
export function transaction(one) {
  const { account, boc, lt, hash, utime } = one;
  const tx = read(one);
  const { inMessage } = tx;
  const { description } = tx;
  const storage = description.type === 'generic' ? (description.storagePhase?.storageFeesCollected ?? 0n) : 0n;
  const fee = tx.totalFees.coins;
  return {
    '@type': 'raw.transaction',
    address: { '@type': 'accountAddress', account_address: Address.parseRaw(account).toString() },
    ...{ account, utime, data: boc.toString('base64'), transaction_id: transactionId(lt, hash) },
    ...{ fee: fee.toString(), storage_fee: storage.toString(), other_fee: (fee - storage).toString() },
    ...(inMessage ? { in_msg: message(inMessage) } : {}),
    out_msgs: tx.outMessages.values().map(message),
  };
}

/** @param {Included} one */
export function shortId({ account, lt, hash }) {
  return { '@type': 'blocks.shortTxId', mode: 135, account, lt: lt.toString(), hash: hash.toString('base64') };
}

/** @param {import('@ton/core').Message} one */
function message(one) {
  const { info, body, init } = one;
  const internal = info.type === 'internal' ? info : undefined;
  const text = (address) => (address === null || address === undefined ? '' : address.toString());
  return {
    '@type': 'raw.message',
    hash: beginCell().store(storeMessage(one)).endCell().hash().toString('base64'),
    source: internal ? text(internal.src) : '',
    destination: text(info.dest),
    value: (internal?.value.coins ?? 0n).toString(),
    extra_currencies: [],
    fwd_fee: (internal?.forwardFee ?? 0n).toString(),
    ihr_fee: (internal?.ihrFee ?? 0n).toString(),
    created_lt: (internal?.createdLt ?? 0n).toString(),
    body_hash: body.hash().toString('base64'),
    msg_data: {
      '@type': 'msg.dataRaw',
      body: body.toBoc().toString('base64'),
      init_state: init ? 'present' : '',
    },
  };
}

function transactionId(lt, hash) {
  return { '@type': 'internal.transactionId', lt: lt.toString(), hash: hash.toString('base64') };
}

function hashOf(number) {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}

/** @param {import('@ton/core').TupleItem[]} items */
export function stack(items) {
  return items.map((item) => {
    if (item.type === 'int')
      return ['num', item.value < 0n ? `-0x${(-item.value).toString(16)}` : `0x${item.value.toString(16)}`];
    if (item.type === 'null') return ['list', { '@type': 'tvm.list', elements: [] }];
    if (item.type === 'cell' || item.type === 'slice' || item.type === 'builder') {
      const bytes = item.cell.toBoc().toString('base64');
      return ['cell', { bytes, object: { data: { b64: '', len: item.cell.bits.length }, refs: [], special: false } }];
    }
    throw new Error(`a stack entry of type ${item.type}`);
  });
}

/** @param {unknown} items @returns {import('@ton/core').TupleItem[]} */
export function tuple(items) {
  if (!Array.isArray(items)) return [];
  return items.map(([type, value]) => {
    if (type === 'num') return { type: 'int', value: BigInt(value) };
    if (type === 'tvm.Cell') return { type: 'cell', cell: Cell.fromBase64(value) };
    if (type === 'tvm.Slice') return { type: 'slice', cell: Cell.fromBase64(value) };
    throw new Error(`a stack entry of type ${type}`);
  });
}
