import type { Examples } from './example.js';
import { amount, DEPOSIT_HASH, ETHER, NATIVE, OTHER_ETHER, REQUEST_ID, USER, unsponsored } from './shared.js';

export const LEGACY_REQUEST_EXAMPLES: Examples = {
  requestsV2: {
    parameters: { id: REQUEST_ID },
    answer: {
      requests: [
        {
          id: REQUEST_ID,
          status: 'success',
          user: USER,
          recipient: USER,
          depositAddress: null,
          data: {
            slippageTolerance: '50',
            failReason: 'N/A',
            refundFailReason: 'N/A',
            fees: { gas: '222136176000', fixed: '0', price: '500000000000000', gateway: '0' },
            feesUsd: { gas: '0.000666', fixed: '0', price: '1.500000', gateway: '0' },
            inTxs: [
              {
                hash: DEPOSIT_HASH,
                fee: '24515012331045',
                block: 110,
                type: 'onchain',
                chainId: 31337,
                timestamp: 1795417207,
                data: {
                  to: '0xe23a83d64c6223a93fca4de92013bc1ec71d468a',
                  from: USER,
                  data: '0x49290c1c000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266a3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb34843970307',
                  value: '1000000000000000000',
                },
                stateChanges: [
                  {
                    address: '0xe23a83d64c6223a93fca4de92013bc1ec71d468a',
                    change: {
                      kind: 'token',
                      balanceDiff: '1000000000000000000',
                      data: { tokenKind: 'ft', tokenAddress: NATIVE },
                    },
                  },
                  {
                    address: USER,
                    change: {
                      kind: 'token',
                      balanceDiff: '-1000024515012331045',
                      data: { tokenKind: 'ft', tokenAddress: NATIVE },
                    },
                  },
                ],
                status: 'success',
              },
            ],
            outTxs: [
              {
                hash: '0x3a6b8215acc546e96ff2a3bfb115d6e19804086bd78f186f5e924e13782bf13c',
                fee: '60956645778',
                block: 110,
                type: 'onchain',
                chainId: 31338,
                timestamp: 1795417207,
                data: {
                  to: '0x55a3ef4845846556253f0aad4219e5f2f155328e',
                  from: '0xbd208210db972d09c8f40d4c1b40f9c3c8372220',
                  data: '0xb723ccf90000000000000000000000000000000000000000000000000000000000000000000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb922660000000000000000000000000000000000000000000000000ddeefc09ca7b280000000000000000000000000000000000000000000000000000000006b03e4d0a3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb34843970307',
                  value: '999499777863824000',
                },
                stateChanges: [
                  {
                    address: '0xbd208210db972d09c8f40d4c1b40f9c3c8372220',
                    change: {
                      kind: 'token',
                      balanceDiff: '-999499838820469778',
                      data: { tokenKind: 'ft', tokenAddress: NATIVE },
                    },
                  },
                  {
                    address: USER,
                    change: {
                      kind: 'token',
                      balanceDiff: '999499777863824000',
                      data: { tokenKind: 'ft', tokenAddress: NATIVE },
                    },
                  },
                ],
                status: 'success',
              },
            ],
            currency: 'eth',
            feeCurrency: 'eth',
            feeCurrencyObject: ETHER,
            appFees: [],
            paidAppFees: [],
            feeSponsorship: unsponsored('relay'),
            metadata: {
              sender: USER,
              recipient: USER,
              currencyIn: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
              currencyOut: amount(OTHER_ETHER, '999499777863824000', '0.999499777863824', '2998.499334'),
              rate: '0.999499777863824',
              route: {
                origin: {
                  inputCurrency: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
                  outputCurrency: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
                  router: 'relay',
                },
                destination: {
                  inputCurrency: amount(OTHER_ETHER, '999499777863824000', '0.999499777863824', '2998.499334'),
                  outputCurrency: amount(OTHER_ETHER, '999499777863824000', '0.999499777863824', '2998.499334'),
                  router: 'relay',
                },
              },
            },
            price: '0.999499777863824',
            usesExternalLiquidity: false,
            timeEstimate: 2,
          },
          referrer: null,
          createdAt: '2026-11-23T07:00:06.921Z',
          updatedAt: '2026-11-23T07:00:08.014Z',
        },
      ],
      deprecation: {
        message: 'This version is deprecated and ends on 2026-11-24; use /requests/v3',
        deprecatedAt: '2026-07-22T00:00:00.000Z',
        throttledFrom: '2026-08-22T00:00:00.000Z',
        sunsetAt: '2026-11-24T00:00:00.000Z',
        successor: '/requests/v3',
        migrationGuide: '/docs#requestsV2',
      },
    },
  },
};
