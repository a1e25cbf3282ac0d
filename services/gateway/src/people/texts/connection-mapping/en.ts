/** The page where owners and admins say what claims of a provider become. */
export const texts = {
  heading: 'Mapping',
  link: (rules: string) => `Mapping (rules: ${rules})`,
  lead: 'What the provider says of somebody becomes attributes, groups and roles in the organization, anew at each login. What a rule gave before and no longer gives is taken away.',
  none: 'There are no rules yet.',
  attribute: (attribute: string) => `Attribute: ${attribute}`,
  group: (group: string) => `Group: ${group}`,
  role: (role: string, resource: string) => `Role: ${role} (${resource})`,
  when: (claim: string, value: string) => `Claim ${claim} with the value ${value}`,
  always: (claim: string) => `Value of the claim ${claim}`,
  missingGroup: 'no such group',
  missingRole: 'not to be given any more',
  choose: (rule: string) => `Remove the rule: ${rule}`,
  remove: 'Remove the chosen rules',
  add: 'Add a rule',
  claim: 'Claim',
  claimHint:
    'Its name, such as groups, or a JSON Pointer such as /address/country. “Try it” shows what the provider says.',
  value: 'Value',
  valueHint: 'The claim must be this value, or have it among its values. Leave it empty for an attribute.',
  becomes: 'What it becomes',
  toAttribute: 'Attribute, with the name below',
  groups: 'Groups',
  roles: 'Roles',
  roleOf: (role: string, resource: string) => `${role} (${resource})`,
  attributeName: 'Name of the attribute',
  attributeHint: 'Only for an attribute. It gets the value of the claim.',
  submit: 'Add the rule',
  problems: {
    claim: 'The claim must be a name of 1 to 200 characters, or a JSON Pointer.',
    unmappable: 'This claim says who somebody is. It cannot be mapped.',
    value: 'A group or a role needs a value of 1 to 500 visible characters.',
    noValue: 'Leave the value empty: an attribute gets that of the claim.',
    target: 'Choose what it becomes.',
    attribute: 'An attribute needs a name of up to 64 letters, digits and underscores.',
    role: 'This role does not exist any more, or organizations may no longer give it. Remove the rule.',
    tooMany: 'There are as many rules as there may be. Remove one first.',
    noChoice: 'Choose the rules to remove first.',
  },
}

/** These texts in one language. */
export type Texts = typeof texts
