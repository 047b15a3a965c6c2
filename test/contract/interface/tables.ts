import * as enums from './enum-tables.js';
import * as execute from './execute-table.js';
import * as limits from './limits-table.js';
import { LISTING, LISTING_HEADER, TRANSACTION_ROLES } from './listing-table.js';
import * as answer from './quote-answer-table.js';
import * as quote from './quote-body-table.js';
import { QUOTE_ERRORS } from './quote-error-table.js';
import * as record from './record-table.js';
import * as service from './service-table.js';
import * as status from './status-table.js';
import type { Table } from './table.js';
import * as version from './version-table.js';

/** With the number of rows, in order, so that a dropped row is noticed. */
export const TABLES: readonly (readonly [rows: number, table: Table])[] = [
  [9, service.CAPABILITIES],
  [7, enums.REQUEST_TYPES_TABLE],
  [7, enums.FEATURES_TABLE],
  [4, enums.FAMILIES],
  [2, service.DESCRIPTION],
  [9, record.RECORD],
  [5, record.DEPOSIT_ADDRESS_FIELDS],
  [16, record.DATA],
  [12, record.TRANSACTION_ENTRY],
  [15, record.APP_FEE_ENTRIES],
  [1, record.ROUTE_RULE],
  [6, record.SPONSORSHIP],
  [4, record.COMPONENT_FIELDS],
  [17, answer.QUOTE_STEPS],
  [6, answer.QUOTE_FEES],
  [11, answer.AMOUNT_WITH_CURRENCY],
  [15, answer.QUOTE_DETAILS],
  [19, answer.QUOTE_PROTOCOL],
  [9, status.STATUS_RECORD],
  [8, status.STATUSES],
  [5, status.TRANSITIONS],
  [33, LISTING],
  [2, LISTING_HEADER],
  [4, TRANSACTION_ROLES],
  [12, quote.QUOTE_BODY],
  [2, quote.CALL_RULES],
  [3, quote.QUOTE_RULES],
  [2, execute.EXECUTE_HEADERS],
  [4, execute.EXECUTE_BODY],
  [9, execute.EXECUTE_RULES],
  [1, status.STATUS_QUERY],
  [6, service.OTHER_ENDPOINTS],
  [7, service.AUTHENTICATION],
  [8, service.EVENTS],
  [12, QUOTE_ERRORS],
  [5, limits.REQUEST_ERRORS],
  [69, enums.FAIL_REASONS_TABLE],
  [4, enums.REASON_MAPPINGS],
  [5, enums.REFUND_FAIL_REASONS_TABLE],
  [9, limits.LIMITS],
  [4, version.PATHS],
  [5, version.DEPRECATION],
  [5, version.BREAKING],
  [5, version.BEHAVIOUR],
  [6, version.ADDITIONS],
];
