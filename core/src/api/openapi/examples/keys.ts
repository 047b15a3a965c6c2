import type { Examples } from './example.js';

const OWN = {
  name: 'production',
  integratorId: 'int_f0b826dec31c92eb',
  scopes: ['quote', 'requests'],
  tier: 'default',
  privateChains: [],
  revokedAt: null,
};
const NEW = {
  ...OWN,
  id: 'key_DyXXENG0jM7O',
  prefix: 'cw_local_DyXXENG0jM7O',
  state: 'active',
  createdAt: 1795417218004,
  expiresAt: null,
  replacedBy: null,
  lastUsedAt: null,
};
const OLD = {
  ...OWN,
  id: 'key_3oqATEce1eWh',
  prefix: 'cw_local_3oqATEce1eWh',
  state: 'active',
  createdAt: 1795417217972,
  expiresAt: 1795420818004,
  replacedBy: 'key_DyXXENG0jM7O',
  lastUsedAt: 1795417217980,
};

/** The secrets open nothing. */
export const KEY_EXAMPLES: Examples = {
  adminIntegrators: {
    answer: {
      integrators: [
        {
          id: 'int_f0b826dec31c92eb',
          name: 'Example wallet',
          fundingAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
          createdAt: 1795417217672,
        },
      ],
    },
  },
  adminAddIntegrator: {
    body: { name: 'Example wallet' },
    answer: {
      integrator: {
        id: 'int_f0b826dec31c92eb',
        name: 'Example wallet',
        fundingAddress: null,
        createdAt: 1795417217672,
      },
    },
  },
  adminLinkIntegrator: {
    body: { integratorId: 'int_f0b826dec31c92eb', fundingAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    answer: {
      integrator: {
        id: 'int_f0b826dec31c92eb',
        name: 'Example wallet',
        fundingAddress: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        createdAt: 1795417217672,
      },
    },
  },
  adminKeys: {
    parameters: { integratorId: 'int_f0b826dec31c92eb' },
    answer: {
      keys: [
        {
          id: 'key_3oqATEce1eWh',
          name: 'production',
          prefix: 'cw_local_3oqATEce1eWh',
          integratorId: 'int_f0b826dec31c92eb',
          state: 'active',
          scopes: ['quote', 'requests'],
          tier: 'default',
          privateChains: [],
          createdAt: 1795417217972,
          expiresAt: null,
          revokedAt: null,
          replacedBy: null,
          lastUsedAt: 1795417217980,
        },
      ],
    },
  },
  adminCreateKey: {
    body: { integratorId: 'int_f0b826dec31c92eb', name: 'production', scopes: ['quote', 'requests'] },
    answer: {
      key: {
        id: 'key_3oqATEce1eWh',
        name: 'production',
        prefix: 'cw_local_3oqATEce1eWh',
        integratorId: 'int_f0b826dec31c92eb',
        state: 'active',
        scopes: ['quote', 'requests'],
        tier: 'default',
        privateChains: [],
        createdAt: 1795417217972,
        expiresAt: null,
        revokedAt: null,
        replacedBy: null,
        lastUsedAt: null,
      },
      secret: 'cw_5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
    },
  },
  adminRotateKey: {
    body: { keyId: 'key_3oqATEce1eWh', overlapSeconds: 3600 },
    answer: {
      key: {
        id: 'key_DyXXENG0jM7O',
        name: 'production',
        prefix: 'cw_local_DyXXENG0jM7O',
        integratorId: 'int_f0b826dec31c92eb',
        state: 'active',
        scopes: ['quote', 'requests'],
        tier: 'elevated',
        privateChains: [],
        createdAt: 1795417218004,
        expiresAt: null,
        revokedAt: null,
        replacedBy: null,
        lastUsedAt: null,
      },
      secret: 'cw_5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
      replaced: {
        id: 'key_3oqATEce1eWh',
        name: 'production',
        prefix: 'cw_local_3oqATEce1eWh',
        integratorId: 'int_f0b826dec31c92eb',
        state: 'active',
        scopes: ['quote', 'requests'],
        tier: 'elevated',
        privateChains: [],
        createdAt: 1795417217972,
        expiresAt: 1795420818004,
        revokedAt: null,
        replacedBy: 'key_DyXXENG0jM7O',
        lastUsedAt: 1795417217980,
      },
    },
  },
  adminRevokeKey: {
    body: { keyId: 'key_3oqATEce1eWh' },
    answer: {
      key: {
        id: 'key_3oqATEce1eWh',
        name: 'production',
        prefix: 'cw_local_3oqATEce1eWh',
        integratorId: 'int_f0b826dec31c92eb',
        state: 'revoked',
        scopes: ['quote', 'requests'],
        tier: 'elevated',
        privateChains: [],
        createdAt: 1795417217972,
        expiresAt: 1795420818004,
        revokedAt: 1795417218011,
        replacedBy: 'key_DyXXENG0jM7O',
        lastUsedAt: 1795417217980,
      },
      alreadyDone: false,
    },
  },
  adminGrantKey: {
    body: { keyId: 'key_3oqATEce1eWh', tier: 'elevated' },
    answer: {
      key: {
        id: 'key_3oqATEce1eWh',
        name: 'production',
        prefix: 'cw_local_3oqATEce1eWh',
        integratorId: 'int_f0b826dec31c92eb',
        state: 'active',
        scopes: ['quote', 'requests'],
        tier: 'elevated',
        privateChains: [],
        createdAt: 1795417217972,
        expiresAt: null,
        revokedAt: null,
        replacedBy: null,
        lastUsedAt: null,
      },
    },
  },
  ownKeys: { answer: { keys: [NEW, OLD] } },
  rotateOwnKey: {
    body: { keyId: 'key_3oqATEce1eWh', overlapSeconds: 3600 },
    answer: {
      key: NEW,
      secret: 'cw_5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
      replaced: OLD,
    },
  },
  revokeOwnKey: {
    body: { keyId: 'key_3oqATEce1eWh' },
    answer: { key: { ...OLD, state: 'revoked', revokedAt: 1795417218011 }, alreadyDone: false },
  },
};
