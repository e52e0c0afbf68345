# Run in this folder: gnuplot dotattn_stability.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1180,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_stability.svg'
set multiplot layout 1,2
set xlabel 'alpha'
set ylabel 'jumps'
set logscale y
set yrange [1e-9:10]
set key bottom left
set title 'semantic branch'
plot 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'omega = 0', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.1) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'omega = 0.1', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.2) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'omega = 0.2', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.3) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'omega = 0.3', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.4) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'omega = 0.4'
set title 'positional branch'
plot 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'omega = 0', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.1) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'omega = 0.1', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.2) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'omega = 0.2', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.3) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'omega = 0.3', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.4) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'omega = 0.4'
unset multiplot
unset output
set terminal pngcairo size 1180,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'dotattn_stability.png'
set multiplot layout 1,2
set xlabel 'alpha'
set ylabel 'jumps'
set logscale y
set yrange [1e-9:10]
set key bottom left
set title 'semantic branch'
plot 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'omega = 0', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.1) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'omega = 0.1', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.2) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'omega = 0.2', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.3) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'omega = 0.3', 'dotattn_stability.csv' using (strcol('branch') eq 'semantic' && abs(column('omega') - 0.4) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'omega = 0.4'
set title 'positional branch'
plot 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#440154' title 'omega = 0', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.1) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#3b528b' title 'omega = 0.1', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.2) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#21918c' title 'omega = 0.2', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.3) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#5ec962' title 'omega = 0.3', 'dotattn_stability.csv' using (strcol('branch') eq 'positional' && abs(column('omega') - 0.4) < 1e-6 ? column('alpha') : NaN):'jumps' with linespoints lw 2 pt 7 ps 0.8 lc rgb '#e6740b' title 'omega = 0.4'
unset multiplot
unset output
