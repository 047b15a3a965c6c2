import type { Examples } from './example.js';
import { amount, ETHER, NATIVE, OTHER_ETHER, REQUEST_ID, USER } from './shared.js';

/** One ether from one chain to another. */
export const QUOTE_EXAMPLES: Examples = {
  quoteV2: {
    body: {
      user: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      originChainId: 31337,
      destinationChainId: 31338,
      originCurrency: NATIVE,
      destinationCurrency: NATIVE,
      amount: '1000000000000000000',
      tradeType: 'EXACT_INPUT',
    },
    answer: {
      steps: [
        {
          id: 'deposit',
          action: 'Confirm transaction in your wallet',
          description: 'Deposit ETH on Local A for the solver to execute the order',
          kind: 'transaction',
          requestId: REQUEST_ID,
          depositAddress: '',
          items: [
            {
              status: 'incomplete',
              data: {
                from: USER,
                to: '0xe23a83d64c6223a93fca4de92013bc1ec71d468a',
                data: '0x49290c1c000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266a3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb34843970307',
                value: '1000000000000000000',
                chainId: 31337,
                maxFeePerGas: '1001148',
                maxPriorityFeePerGas: '1000000',
              },
              check: {
                endpoint:
                  '/intents/status/v3?requestId=0xb0c7fd8a47a9db2ad21aa7b0053e06d4352c26a4bf6625d764b1819d0d781ec6',
                method: 'GET',
              },
            },
          ],
        },
      ],
      fees: {
        gas: amount(ETHER, '30017220000', '0.00000003001722', '0.000090'),
        relayer: amount(ETHER, '500222136176000', '0.000500222136176', '1.500666'),
        relayerGas: amount(ETHER, '222136176000', '0.000000222136176', '0.000666'),
        relayerService: amount(ETHER, '500000000000000', '0.0005', '1.500000'),
        app: amount(ETHER, '0', '0', '0.000000'),
        subsidized: amount(ETHER, '0', '0', '0.000000'),
      },
      details: {
        operation: 'bridge',
        sender: USER,
        recipient: USER,
        currencyIn: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
        currencyOut: amount(
          OTHER_ETHER,
          '999499777863824000',
          '0.999499777863824',
          '2998.499334',
          '994502278974504880',
        ),
        refundCurrency: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
        totalImpact: { usd: '-1.500666', percent: '-0.05' },
        swapImpact: { usd: '0.000000', percent: '0.00' },
        expandedPriceImpact: {
          swap: { usd: '0.000000' },
          execution: { usd: '-0.000666' },
          relay: { usd: '-1.500000' },
          service: { usd: '-1.500000' },
          app: { usd: '0.000000' },
          sponsored: { usd: '0.000000' },
        },
        rate: '0.999499777863824',
        slippageTolerance: {
          total: '50',
          origin: { usd: '0.000000', percent: '0.00', value: '0' },
          destination: { usd: '14.992497', value: '4997498889319120', percent: '0.50' },
        },
        timeEstimate: 2,
        userBalance: '10000000000000000000000',
        isFixedRate: false,
        expiresAt: 1795417236921,
        deadlineAt: 1795417296000,
        route: {
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
      },
      protocol: {
        v2: {
          orderId: '0xa3766426de6bffda4ef1b323a254dec6e32044e71f0840c796bbb34843970307',
          hubType: 'onchain',
          orderData: {
            version: 'v1',
            solverChainId: 'local-a',
            solver: '0xc8005fa5bdd02b6cc3e63a49e35b457371d31575',
            salt: '0x12e5578934aa19ad13b108773b27f3a82609c7b85da112397e02e7776ff2feb7',
            inputs: [
              {
                payment: { chainId: 'local-a', currency: NATIVE, amount: '1000000000000000000', weight: '1' },
                refunds: [
                  {
                    chainId: 'local-a',
                    recipient: USER,
                    currency: NATIVE,
                    minimumAmount: '0',
                    deadline: 1795417296,
                    extraData: '0x00000000000000000000000055a3ef4845846556253f0aad4219e5f2f155328e',
                  },
                ],
              },
            ],
            output: {
              chainId: 'local-b',
              payments: [
                {
                  recipient: USER,
                  currency: NATIVE,
                  minimumAmount: '994502278974504880',
                  expectedAmount: '999499777863824000',
                },
              ],
              calls: [],
              deadline: 1795417296,
              extraData: '0x00000000000000000000000055a3ef4845846556253f0aad4219e5f2f155328e',
            },
            fees: [],
          },
          paymentDetails: {
            chainId: 'local-a',
            depository: '0xe23a83d64c6223a93fca4de92013bc1ec71d468a',
            currency: NATIVE,
            amount: '1000000000000000000',
          },
        },
      },
    },
  },
  price: {
    body: {
      user: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      originChainId: 31337,
      destinationChainId: 31338,
      originCurrency: NATIVE,
      destinationCurrency: NATIVE,
      amount: '1000000000000000000',
      tradeType: 'EXACT_INPUT',
    },
    answer: {
      fees: {
        gas: amount(ETHER, '30017220000', '0.00000003001722', '0.000090'),
        relayer: amount(ETHER, '500222127428000', '0.000500222127428', '1.500666'),
        relayerGas: amount(ETHER, '222127428000', '0.000000222127428', '0.000666'),
        relayerService: amount(ETHER, '500000000000000', '0.0005', '1.500000'),
        app: amount(ETHER, '0', '0', '0.000000'),
        subsidized: amount(ETHER, '0', '0', '0.000000'),
      },
      details: {
        operation: 'bridge',
        sender: USER,
        recipient: USER,
        currencyIn: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
        currencyOut: amount(
          OTHER_ETHER,
          '999499777872572000',
          '0.999499777872572',
          '2998.499334',
          '994502278983209140',
        ),
        refundCurrency: amount(ETHER, '1000000000000000000', '1', '3000.000000'),
        totalImpact: { usd: '-1.500666', percent: '-0.05' },
        swapImpact: { usd: '0.000000', percent: '0.00' },
        expandedPriceImpact: {
          swap: { usd: '0.000000' },
          execution: { usd: '-0.000666' },
          relay: { usd: '-1.500000' },
          service: { usd: '-1.500000' },
          app: { usd: '0.000000' },
          sponsored: { usd: '0.000000' },
        },
        rate: '0.999499777872572',
        slippageTolerance: {
          total: '50',
          origin: { usd: '0.000000', percent: '0.00', value: '0' },
          destination: { usd: '14.992497', value: '4997498889362860', percent: '0.50' },
        },
        timeEstimate: 2,
        userBalance: '10000000000000000000000',
        isFixedRate: false,
      },
    },
  },
};
