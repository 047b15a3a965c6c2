import type { Examples } from './example.js';
import { FRAMES } from './frames.js';
import { amount, DEPOSIT_HASH, ETHER, NATIVE, OTHER_ETHER, REQUEST_ID, USER, unsponsored } from './shared.js';

export const REQUEST_EXAMPLES: Examples = {
  events: {
    parameters: { lastEventId: 5 },
    answer: `retry: 1732\n\nid: 5\n\nid: 6\ndata: ${JSON.stringify(FRAMES['statusUpdated'])}\n\n`,
  },
  requestsV3: {
    parameters: { id: REQUEST_ID },
    answer: {
      requests: [
        {
          id: REQUEST_ID,
          status: 'success',
          user: USER,
          recipient: USER,
          sender: USER,
          refundTo: null,
          supersededByRequestId: null,
          parentRequestId: null,
          depositAddress: null,
          requestType: 'Bridge',
          features: [],
          data: {
            slippageTolerance: '50',
            failReason: null,
            refundFailReason: null,
            usesExternalLiquidity: false,
            timeEstimate: 2,
            triggeredByFastFill: null,
            inTxs: [
              {
                txHash: DEPOSIT_HASH,
                fee: '24515012331045',
                feeUsd: '0.073545',
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
                txHash: '0x3a6b8215acc546e96ff2a3bfb115d6e19804086bd78f186f5e924e13782bf13c',
                fee: '60956645778',
                feeUsd: '0.000183',
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
            fees: {
              quoted: {
                swap: { usd: '0.000000', amount: '0', amountFormatted: '0' },
                execution: { usd: '0.000666', amount: '222136176000', amountFormatted: '0.000000222136176' },
                platform: { usd: '1.500000', amount: '500000000000000', amountFormatted: '0.0005' },
                app: { usd: '0.000000', amount: '0', amountFormatted: '0' },
                sponsored: { usd: '0.000000', amount: '0', amountFormatted: '0' },
              },
              actual: {
                swap: { usd: '0.000000', amount: '0', amountFormatted: '0' },
                execution: { usd: '0.000666', amount: '222136176000', amountFormatted: '0.000000222136176' },
                platform: { usd: '1.500000', amount: '500000000000000', amountFormatted: '0.0005' },
                app: { usd: '0.000000', amount: '0', amountFormatted: '0' },
                sponsored: { usd: '0.000000', amount: '0', amountFormatted: '0' },
              },
              currency: ETHER,
            },
            appFees: { quoted: [], actual: [], currency: ETHER },
            feeSponsorship: { ...unsponsored('platform'), currency: ETHER },
            route: {
              quoted: {
                origin: {
                  inputCurrency: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
                  outputCurrency: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
                  router: 'relay',
                },
                destination: {
                  inputCurrency: amount(
                    OTHER_ETHER,
                    '999499777863824000',
                    '0.999499777863824',
                    '2998.499334',
                    '994502278974504880',
                  ),
                  outputCurrency: amount(
                    OTHER_ETHER,
                    '999499777863824000',
                    '0.999499777863824',
                    '2998.499334',
                    '994502278974504880',
                  ),
                  router: 'relay',
                },
              },
              actual: {
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
                rate: '0.999499777863824',
              },
              includedSwapSources: [],
              includedOriginSwapSources: [],
              includedDestinationSwapSources: [],
            },
            quoteOraclePrice: null,
            refundCurrencyData: null,
            externalMetadata: null,
          },
          protocol: {
            orderId: '0xa3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb34843970307',
            hubType: 'onchain',
            isWithdrawable: false,
            solver: {
              address: '0xc8005fa5bdd02b6cc3e63a49e35b457371d31575',
              protocolChainId: 'local-a',
              chainId: 'local-a',
            },
            deposit: {
              origin: {
                amount: '1000000000000000000',
                chainId: 'local-a',
                currency: NATIVE,
                depositor: USER,
                depository: '0xe23a83d64c6223a93fca4de92013bc1ec71d468a',
                onchainId: '0xa3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb34843970307',
                transactionId: DEPOSIT_HASH,
              },
              relay: null,
              attestation: null,
            },
            settlement: {
              destination: {
                fills: [
                  {
                    chainId: 'local-b',
                    transactionId: '0x3a6b8215acc546e96ff2a3bfb115d6e19804086bd78f186f5e924e13782bf13c',
                  },
                ],
                refunds: [],
              },
              relay: null,
              attestation: null,
            },
          },
          createdAt: '2026-11-23T07:00:06.921Z',
          updatedAt: '2026-11-23T07:00:08.014Z',
        },
      ],
    },
  },
  requestMetadata: {
    body: {
      requestId: '0xe69cdfa2cadb4b400ab26c3c4adbd7395e27ea92e9063189961c1a3e1504fd4f',
      additionalMetadata: { invoice: '2026-0042' },
    },
    answer: { message: 'Success', kept: true },
  },
};
