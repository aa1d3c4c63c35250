package supervision

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// declare makes specs of children like "b<a,x" (b depends on a and x).
func declare(children string, groups ...Group) Specs {
	s := Specs{Groups: groups}
	for word := range strings.FieldsSeq(children) {
		id, after, depends := strings.Cut(word, "<")
		c := Spec{ID: id, Restart: DefaultRestart()}
		if depends {
			c.DependsOn = strings.Split(after, ",")
		}
		s.Children = append(s.Children, c)
	}
	return s
}

func members(name string, strategy Strategy, ids ...string) Group {
	return Group{Name: name, Strategy: strategy, Members: ids}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		specs Specs
		want  string
	}{
		{"nothing", Specs{}, ""},
		{"children that depend on others, known or not", declare("c<b b<a,nobody a"), ""},
		{"an order that agrees with the group's", declare("b<a a", members("g", RestForOne, "a", "b")), ""},
		{"one_for_one has no order", declare("b<a a", members("g", OneForOne, "b", "a")), ""},
		{"an id twice", declare("a a"), `child "a" is declared twice`},
		{"a group twice", declare("a b", members("g", OneForOne, "a"), members("g", OneForOne, "b")), `group "g" is declared twice`},
		{"a strategy that OTP has not", declare("a", members("g", "all_for_one", "a")), `group "g": unknown strategy "all_for_one" (one_for_one, one_for_all or rest_for_one)`},
		{"a member that is not declared", declare("a", members("g", OneForOne, "a", "x")), `group "g": member "x" is not declared`},
		{"a member twice", declare("a", members("g", OneForOne, "a", "a")), `group "g": member "a" is listed twice`},
		{
			"a member of two groups", declare("a", members("g", OneForOne, "a"), members("h", OneForAll, "a")),
			`child "a" is a member of the groups "g" and "h" (one at most)`,
		},
		{"who depends on itself", declare("a<a"), `children wait for each other: "a" depends on "a" (take one of these away)`},
		{
			"a circle of dependencies", declare("x<a a<b b<c c<a"),
			`children wait for each other: "a" depends on "b", "b" depends on "c", "c" depends on "a" (take one of these away)`,
		},
		{
			"a group against a dependency", declare("a<c b c", members("g", OneForAll, "a", "b", "c")),
			`children wait for each other: "a" depends on "c", "c" comes after "b" in group "g", "b" comes after "a" in group "g" (take one of these away)`,
		},
		{
			"two groups against each other", declare("a<d b c<b d", members("g", RestForOne, "a", "b"), members("h", OneForAll, "c", "d")),
			`children wait for each other: "a" depends on "d", "d" comes after "c" in group "h", "c" depends on "b", "b" comes after "a" in group "g" (take one of these away)`,
		},
		{"everything at once", declare("a a", members("g", "?", "x")), `child "a" is declared twice
group "g": unknown strategy "?" (one_for_one, one_for_all or rest_for_one)
group "g": member "x" is not declared`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.specs.Check(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStopLevels(t *testing.T) {
	tests := []struct {
		name  string
		specs Specs
		want  [][]string
	}{
		{"nothing", Specs{}, [][]string{}},
		{"strangers go together", declare("b a"), [][]string{{"b", "a"}}},
		{"dependents go first", declare("db app<db web<app,db"), [][]string{{"web"}, {"app"}, {"db"}}},
		{"each as early as it may", declare("a b<a c d<c,b"), [][]string{{"d"}, {"b", "c"}, {"a"}}},
		{"members go in reverse order", declare("a b c", members("g", OneForAll, "c", "a", "b")), [][]string{{"b"}, {"a"}, {"c"}}},
		{"one_for_one has no order", declare("a b", members("g", OneForOne, "a", "b")), [][]string{{"a", "b"}}},
		{"both orders together", declare("a b x<b db", members("g", RestForOne, "db", "a", "b")), [][]string{{"x"}, {"b"}, {"a"}, {"db"}}},
		{"who is not declared is not stopped", declare("a<nobody"), [][]string{{"a"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.specs.StopLevels()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
