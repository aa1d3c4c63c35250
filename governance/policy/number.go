package policy

import (
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// number is the Cedar value of a JSON number: a long where it is a 64-bit integer, however it is written (2, 2.0 and
// 2e0 are one number), a decimal where it is exactly one (up to four digits behind the point), and else a string of its
// text. Comparing such a string with a number is an error, and so a no.
func number(text string) cedar.Value {
	digits, exponent, ok := scientific(text)
	if !ok {
		return cedar.String(text)
	}
	if exponent >= 0 {
		digits, exponent = digits+strings.Repeat("0", exponent), 0
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return cedar.String(text)
	}
	if exponent == 0 {
		return cedar.Long(n)
	}
	d, err := cedar.NewDecimal(n, exponent)
	if err != nil {
		return cedar.String(text)
	}
	return d
}

// maxInt64Digits is the number of digits of the largest long.
const maxInt64Digits = 19

// scientific splits a JSON number into signed digits without zeros at either end and the power of ten they are
// multiplied with. It is not ok when that is certainly no long and no decimal; the bound keeps 1e1000000000 small.
func scientific(text string) (digits string, exponent int, ok bool) {
	mantissa, power := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	digits = strings.TrimRight(significant, "0")
	if digits == "" {
		return "0", 0, true
	}
	exponent, err := strconv.Atoi(power)
	if err != nil || len(digits) > maxInt64Digits || exponent > 1<<30 || exponent < -1<<30 {
		return "", 0, false
	}
	exponent += len(significant) - len(digits) - len(fraction)
	if negative {
		digits = "-" + digits
	}
	return digits, exponent, exponent <= maxInt64Digits && exponent >= -4
}
