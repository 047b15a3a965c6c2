import { type ExactJson, numberText, parseExact, pointerFor, pointTo, readPrice, type UnixMs } from '@causeway/core';
import type { Shape, TimeUnit } from './shape.js';

export type Reading =
  | { readonly result: 'price'; readonly price: bigint; readonly at: UnixMs | undefined }
  /** `missing`: no entry; `nonsense`: no price or no time; `unsure`: below the provider's confidence limit. */
  | { readonly result: 'missing' | 'nonsense' | 'unsure' };

export type Answer =
  | { readonly ok: true; readonly readings: ReadonlyMap<string, Reading> }
  | { readonly ok: false; readonly why: string };

/** Never throws; quotes nothing of the body but short errors. */
export function readAnswer(shape: Shape, body: string, ids: readonly string[]): Answer {
  let document: ExactJson;
  try {
    document = parseExact(body);
  } catch {
    return { ok: false, why: 'the answer is not JSON' };
  }
  const error = shape.error === undefined ? undefined : reported(pointTo(document, shape.error));
  if (error !== undefined) return { ok: false, why: `it answers with an error: ${error}` };
  const about = elements(shape, document);
  if (about === undefined) return { ok: false, why: 'the answer has another shape' };
  return { ok: true, readings: new Map(ids.map((id) => [id, read(shape, about(id), id)])) };
}

function read(shape: Shape, element: ExactJson, id: string): Reading {
  const at = (pointer: string): ExactJson => pointTo(element, pointerFor(pointer, id));
  const value = at(shape.price);
  if (value === undefined) return { result: 'missing' };
  const price = readPrice(numberText(value) ?? '');
  if (price === undefined) return { result: 'nonsense' };
  const time = shape.at === undefined ? undefined : timeOf(numberText(at(shape.at)), shape.atUnit ?? 'seconds');
  if (shape.at !== undefined && time === undefined) return { result: 'nonsense' };
  if (shape.confidence !== undefined) {
    const sure = readPrice(numberText(at(shape.confidence.at)) ?? '');
    const least = readPrice(shape.confidence.least);
    if (least !== undefined && (sure === undefined || sure < least)) return { result: 'unsure' };
  }
  return { result: 'price', price, at: time };
}

/** Undefined when the expected list is missing. */
function elements(shape: Shape, document: ExactJson): ((id: string) => ExactJson) | undefined {
  if (shape.list === undefined) return () => document;
  const list = pointTo(document, shape.list);
  if (!Array.isArray(list)) return undefined;
  const byId = new Map<string | undefined, ExactJson>();
  for (const element of list as readonly ExactJson[])
    byId.set(numberText(pointTo(element, shape.listId ?? '')), element);
  return (id) => byId.get(id);
}

/** Time, not money: a float is exact enough. */
function timeOf(text: string | undefined, unit: TimeUnit): UnixMs | undefined {
  if (text === undefined || text === '') return undefined;
  const ms = unit === 'iso' ? Date.parse(text) : Number(text) * (unit === 'seconds' ? 1000 : 1);
  return Number.isFinite(ms) && ms > 0 ? Math.floor(ms) : undefined;
}

function reported(error: ExactJson): string | undefined {
  if (error === undefined || error === null || error === false || error === '') return undefined;
  if (Array.isArray(error) && error.length === 0) return undefined;
  const text = typeof error === 'string' ? (numberText(error) ?? '') : JSON.stringify(error);
  return text.replaceAll(/[^\x20-\x7e]|\\u0001/g, '').slice(0, 200);
}
