export { Check, Errors } from 'typebox/value'
