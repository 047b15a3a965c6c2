import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';

export type { Agent };

export function agentFor(url: string, atOnce: number): Agent {
  const connections = { keepAlive: true, maxSockets: atOnce };
  return url.startsWith('https:') ? new SecureAgent(connections) : new Agent(connections);
}
