import type { Locator } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import { encodeFunctionData, type Hex, isAddress, parseAbi } from 'viem';

/** Text of a QR code, read from a picture of the screen as a camera would. @throws where no code is found. */
export async function scanned(code: Locator): Promise<string> {
  const png = (await code.screenshot()).toString('base64');
  // A page without the content security policy of the dashboard turns the picture into pixels.
  const page = await code.page().context().newPage();
  try {
    const { width, height, pixels } = await page.evaluate<{ width: number; height: number; pixels: string }>(`
      (async () => {
        const image = new Image();
        image.src = 'data:image/png;base64,${png}';
        await image.decode();
        const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const { width, height, data } = context.getImageData(0, 0, image.width, image.height);
        let pixels = '';
        for (const byte of data) pixels += String.fromCharCode(byte);
        return { width, height, pixels: btoa(pixels) };
      })()`);
    return decodeQR({ width, height, data: Uint8Array.from(Buffer.from(pixels, 'base64')) });
  } finally {
    await page.close();
  }
}

/** The call that an EIP-681 link asks for; its parameters are in the order of the function's. @throws for other links. */
export function callOfLink(link: string): { readonly chainId: number; readonly to: Hex; readonly data: Hex } {
  const [, to = '', chainId, name, query] = /^ethereum:(0x[0-9a-fA-F]{40})@(\d+)\/(\w+)\?(.*)$/.exec(link) ?? [];
  if (!isAddress(to, { strict: false }) || query === undefined) throw new Error(`not a link of EIP-681: ${link}`);
  const args = [...new URLSearchParams(query)];
  const abi = parseAbi([`function ${name}(${args.map(([type]) => type).join(',')})`] as readonly string[]);
  return { chainId: Number(chainId), to, data: encodeFunctionData({ abi, args: args.map(([, value]) => value) }) };
}
