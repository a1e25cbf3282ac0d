// The part of TypeBox that this project uses. `npm ci` makes one file of it in gen/typebox: TypeBox has 373 modules, and to load
// them took every process 160 ms of CPU time at its start.

export {
  type Static,
  type TBoolean,
  type TInteger,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TString,
  Type,
} from 'typebox'
