import type { RequestStatus, Trigger } from '../../core/src/domain/transitions.js';

/** Triggers that no code raises yet, and the feature that will. */
export const TRIGGERS_NOT_BUILT: Partial<Record<Trigger, string>> = {
  originSent: 'gasless execution',
  originFailed: 'gasless execution',
  executeAccepted: 'raw calls',
  nothingOwed: 'raw calls: nothing else fails with nothing owed to anyone',
};

export const STATUSES_NOT_BUILT: Partial<Record<RequestStatus, string>> = {
  depositing: 'gasless execution',
};

export function isNotBuilt(way: string): boolean {
  const [, from = '', to = '', trigger = ''] = /^(\w+) -> (\w+) \((\w+)\)$/.exec(way) ?? [];
  return trigger in TRIGGERS_NOT_BUILT || from in STATUSES_NOT_BUILT || to in STATUSES_NOT_BUILT;
}
