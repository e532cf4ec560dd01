import {
  changeOrder,
  completeOrder,
  createOrder,
  customFields,
  documentedOrder,
  orderFields,
  orderStates,
  promo,
  races,
  transport,
} from '../proofs.ts'
import { message, says, type Section } from '../statement.ts'

const PROMOKEY = promo('promokeys > a closed event opens to its key, up to its limit')
const EXPIRED_AFTER = orderFields('expired_after > of an API key: past the maximum, and any other')
const refusedSetting = (what: string) =>
  orderFields(`settings > ${what} is refused, and nothing of the request happened`)

const MESSAGES: Section = {
  title: 'Errors',
  statements: [
    says(
      'Format for validation failures: HTTP 400 with body `{ errors: [string, ...] }`, a list of text messages.',
      createOrder('refusals of POST'),
      transport('bad input > all faults of a POST are told at once'),
    ),
    says(
      'Conflicting concurrent change of one order: HTTP 409 Conflict.',
      races('in one process > a request on an order while another runs is 409'),
      races('in two processes > a request on an order while another runs is 409'),
    ),
    message('Event <event_id> not found', createOrder('refusals of POST > an event nobody knows')),
    message('Event not found', createOrder('refusals of POST > tickets nobody knows')),
    message('Deal not found', createOrder('refusals of POST > no deal')),
    message('Promokey needed', createOrder('refusals of POST > a closed event'), PROMOKEY),
    message('Promokey not founded', PROMOKEY),
    message('Promokey expired', PROMOKEY),
    message('Promokey fully reserved', PROMOKEY),
    message('Promokey already reserved', promo('promokeys > a key for one order at a time')),
    message(
      'Promokey needed to add these tickets',
      createOrder('refusals of POST > a closed set'),
      promo('promokeys > a key for some sets opens no others'),
    ),
    message(
      'Only one of tickets or random can be set',
      createOrder('refusals of POST > both ways to reserve'),
      documentedOrder('tickets and random together are refused in a PATCH too, and nothing of it happens'),
    ),
    message(
      "'tickets' or 'random' must be",
      orderStates("in state executed > change 7 is answered: 'tickets' or 'random' must be"),
      orderStates("in state executed > change 8 is answered: 'tickets' or 'random' must be"),
    ),
    message(
      'Not allow to update order in status <status>',
      orderStates('in state done > change 0 is answered: Not allow to update order in status done'),
      orderStates('in state cancelled > change 0 is answered: Not allow to update order in status can…'),
      orderStates('in state expired > change 0 is answered: Not allow to update order in status exp…'),
    ),
    message(
      'Allow update the only status to cancelled',
      orderStates('in state in_progress > change 0 is answered: Allow update the only status to cancell…'),
    ),
    message('expired_after is not changable', EXPIRED_AFTER),
    message('max expired_after is {dt}', EXPIRED_AFTER),
    message('only org can send invitations', refusedSetting('an invitation by a vendor')),
    message(
      'invitation can send from control panel or salespoint only',
      refusedSetting('an invitation from the API'),
      refusedSetting('an invitation from the widget'),
    ),
    message(
      'Courier must set only with salespoint',
      refusedSetting('a courier from the API'),
      refusedSetting('a courier from the control panel'),
    ),
    message(
      '<integration-name> integrations is disabled',
      refusedSetting('smart tickets where there are none'),
    ),
    message(
      'Cant set smart_tickets to false while <integration-name> integration option is only smart_tickets',
      refusedSetting('no smart tickets where there are only those'),
    ),
    message('Cant use promocode when event have promotion', promo('a promotion > refuses promocodes')),
    message(
      'ticket (id = {}) does not belong to current event',
      createOrder("refusals of POST > another event's ticket"),
      changeOrder('tickets is the whole wanted list > a foreign ticket fails the whole request'),
    ),
    message(
      'Not enough money, contact to <vendor> manager',
      completeOrder('completion > not enough money changes nothing, and with money it goes through'),
    ),
    message(
      'there is no tickets in order',
      completeOrder('completion > without a ticket, also when the request itself drops the last'),
      createOrder('refusals of POST > done without a ticket'),
    ),
    message(
      'Incorrect status for this operation',
      orderStates('in state executed > change 11 is answered: Incorrect status for this operation'),
      orderStates('in state done > change 3 is answered: Incorrect status for this operation'),
    ),
    message(
      'Order is not cancellable',
      orderStates('in state done > change 4 is answered: Order is not cancellable'),
      orderStates('in state cancelled > change 4 is answered: Order is not cancellable'),
      orderStates('in state expired > change 4 is answered: Order is not cancellable'),
    ),
  ],
}

const field = (text: string, sent: string, as_sent = text) =>
  message(text, customFields(`${sent} is refused: ${as_sent}`))
/** A message of both kinds of text. */
const ofTexts = (text: string, value: string, as_sent = text) =>
  message(
    text,
    customFields(`text of ${value} is refused: ${as_sent}`),
    customFields(`long_text of ${value} is refused: ${as_sent}`),
  )

const FIELD_MESSAGES: Section = {
  title: 'Validation messages for additional custom fields',
  statements: [
    field("value should be formatted 'YYYY-MM-DD'", 'born of "1990-2-28"'),
    field('value should be True or False', 'adult of "true"'),
    field('value is not a list', 'sizes of "S"'),
    field('list length is less than <len>', 'sizes of ["S"]', 'list length is less than 2'),
    field(
      'list length is greater than <len>',
      'sizes of ["S","M","L","XL"]',
      'list length is greater than 3',
    ),
    field('value is less than <value>', 'over of 18', 'value is less than 18'),
    field('value is greater than <value>', 'under of 18', 'value is greater than 18'),
    field('value should be less than <value>', 'at_most of 19', 'value should be less than 18'),
    field('value should be greater than <value>', 'at_least of 17', 'value should be greater than 18'),
    ofTexts('value is not a string', '5'),
    ofTexts('blank value is not allowed', '""'),
    ofTexts('String is shorter than <len> characters', '"a"', 'String is shorter than 2 characters'),
    ofTexts('String is longer than <len> characters', '"abcdef"', 'String is longer than 5 characters'),
    ofTexts('does not match pattern <pattern>', '"ABC"', 'does not match pattern ^[a-z]+$'),
    says(
      'Single choice: the bounds `less than` and `greater than` are strict.',
      customFields('over of 19 is kept'),
      customFields('under of 17 is kept'),
    ),
    says(
      'Single choice: `should be less than` and `should be greater than` admit the bound itself.',
      customFields('at_most of 18 is kept'),
      customFields('at_least of 18 is kept'),
    ),
  ],
}

export const ERRORS: readonly Section[] = [MESSAGES, FIELD_MESSAGES]
