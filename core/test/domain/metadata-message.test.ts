import { expect, it } from 'vitest';
import { metadataMessage } from '../../src/domain/metadata-message.js';

it('names the service, the request and what is said of it, in words that never change', () => {
  const service = `0x${'a'.repeat(40)}`;
  const requestId = `0x${'1'.repeat(64)}`;
  expect(metadataMessage({ service, requestId, metadata: '{"a":1}' }).split('\n')).toEqual([
    'Say something of a request. It is shown with it, and moves no money.',
    '',
    `Service: ${service}`,
    `Request: ${requestId}`,
    'Metadata (keccak-256): 25e7c2a96531eb50246780c1f25742e489bf55210e26981dc02992bb585feb97',
  ]);
});
