export { type CallPlan, type FaultCall, type FaultPlans, faultPlans, type HttpFault } from './faults.js';
export {
  JsonRpcFaultProxy,
  type JsonRpcFaultProxyOptions,
  jsonRpcFaultProxy,
  type RecordedCall,
} from './json-rpc-fault-proxy.js';
export {
  eitherOf,
  first,
  type JsonRpcCall,
  type JsonRpcError,
  type JsonRpcFault,
  type JsonRpcPlan,
  type JsonRpcReply,
  nth,
  only,
  whenever,
} from './json-rpc-faults.js';
export { type Refusals, refusalsOf } from './refusals.js';
export {
  type RestCall,
  type RestFault,
  RestFaultProxy,
  type RestPlan,
  type RestReply,
  restFaultProxy,
  restFaults,
} from './rest-fault-proxy.js';
export { cutAfterBytes, loseAnswerTo, type TcpChunk, type TcpFate, type TcpPlan } from './tcp-faults.js';
export { TcpProxy, type TcpTarget, type Throttle, tcpProxy } from './tcp-proxy.js';
